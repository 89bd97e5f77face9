// Package clients plays clients that react: in virtual time, one event after the other. Clients send what the
// traffic has them do, messages travel, clocks are off, a server answers, and those who are rejected give up, wait or
// try again. So what arrives depends on what was decided.
//
// It knows neither algorithms nor Redis: a Server answers messages, and a Protocol is how a client gets from them to
// a decision. It measures how the clients fared, and keeps the journal from which others measure what was admitted.
package clients
