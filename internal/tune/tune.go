// Package tune turns what must hold into numbers: which limits and bursts refuse at most a share of the good users, or
// of their requests, and keep what the backend gets in its worst second below a bound.
//
// Two kinds of figures are told apart. Curves are exact for every limit at once and take one pass over the traffic
// (bursts, windows). What no curve gives, the models of the algorithms decide, at some twenty settings each: nothing is
// bisected, since what is refused need not fall as a limit rises where costs differ.
//
// Settings are chosen on one part of the traffic, and every figure is given for another part as well, which the choice
// has not seen.
//
// Of a large log a sample of the keys may be played: the heavy ones, and of the others those that a hash draws. Then
// shares are estimates that say how exact they are, and maxima are said to be at least so much.
//
// It prints nothing, reads no clock and starts no server.
package tune
