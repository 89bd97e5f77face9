// Package architecture holds no code: its tests hold the tree to the rules by which it is built. Which package may
// import which, who may read a clock or print, which files an algorithm consists of, what a comment must be there
// for. Each failure says what to do instead.
package architecture
