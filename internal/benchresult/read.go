package benchresult

import (
	"ratelab/internal/result"
)

// Read reads what WriteJSON wrote: a file, or the one in a folder. It refuses, as a *result.BadFile, what is another
// document or schema version, was cut short or edited, or has unknown fields.
func Read(path string) (*Document, error) {
	doc, err := read(path, result.Bench)
	if err != nil {
		return nil, err
	}
	return doc.(*Document), nil
}

// ReadAny reads either: the result is a *Document or a *Paired. Of a folder with both it takes the Document.
func ReadAny(path string) (any, error) { return read(path, result.Bench, result.Paired) }

func read(path string, forms ...result.Form) (any, error) {
	data, form, err := result.Read(path, forms...)
	if err != nil {
		return nil, err
	}
	if form == result.Bench {
		var doc struct {
			Document
			result.Seal
		}
		err := result.Decode(path, data, form, &doc)
		return &doc.Document, err
	}
	var doc struct {
		Paired
		result.Seal
	}
	err = result.Decode(path, data, form, &doc)
	return &doc.Paired, err
}
