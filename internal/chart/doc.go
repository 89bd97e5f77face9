// Package chart draws pictures of results, each of which answers one question, as SVG and PNG, with the data of each
// beside it as CSV. It draws results as they are and measures nothing. The same result gives the same bytes. The
// package reads no clock, and knows nothing of what it draws but the colours of the algorithms' names.
//
// A chart is a function that returns a Figure, in a file of the chart's name, and a line in one list: ofRun, ofPlay or
// ofCosts, or drawings for one over time, whose values package curves makes, for the page too.
//
// gonum/plot draws axes, lines, areas, marks and their samples, and aligns panels. What it cannot do is drawn here:
// sentences that wrap, since a title is one line (letters.go); a legend in rows, and heads above panels that hold a
// patch and two letterings, since plot.Legend is one column within a plot (panel.go); labels that look for a free place
// beside what they name, or keep apart at the ends of lines, since plotter.Labels sets them where it is told
// (labels.go); and an SVG of a third of the bytes, with texts of fixed length (svg.go).
package chart
