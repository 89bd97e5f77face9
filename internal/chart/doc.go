// Package chart draws results as SVG and PNG, and writes each picture's data as CSV. Each picture answers one question.
// The package measures nothing and reads no clock. The same result gives the same bytes. All it knows of algorithms is
// their colours.
//
// A chart is a function that returns a Figure, in a file of the chart's name, and a line in one list: ofRun, ofPlay or
// ofCosts. A chart over time is in the list drawings instead; package curves makes its values, for the page too.
//
// gonum/plot draws axes, lines, areas, marks and their samples, and aligns panels. What it cannot do is drawn here:
// sentences that wrap, since a title is one line (letters.go); a legend in rows, and heads above panels that hold a
// patch and two letterings, since plot.Legend is one column within a plot (panel.go); labels that look for a free place
// beside what they name, or keep apart at the ends of lines, since plotter.Labels sets them where it is told
// (labels.go); and an SVG of a third of the bytes, with texts of fixed length (svg.go).
package chart
