// Package chart draws results as SVG and PNG, and writes each picture's data as CSV. Each picture answers one question.
// The package measures nothing and reads no clock. The same result gives the same bytes. From package algorithms it
// uses only the colours.
//
// Package curves declares the charts of a run and computes their values, for the page too. The map drawings has the
// ways to draw them. The chart of bench run is in bench.go.
//
// gonum/plot draws axes, lines, areas and marks, and aligns panels. This package draws what gonum/plot cannot:
// sentences that wrap, since a title is one line (letters.go); a legend in rows, and heads above panels with a patch
// and two texts, since plot.Legend is one column within a plot (panel.go); labels that look for a free place near a
// line or a point, since plotter.Labels has fixed places (labels.go); and an SVG with a third of the bytes, with texts
// of fixed length (svg.go).
package chart
