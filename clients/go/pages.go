package sabika

import (
	"context"
	"iter"
	"maps"
	"net/url"
)

// Pages is a list, whose pages are fetched when they are needed.
type Pages[T any] struct {
	client *Client
	path   string
	values url.Values
}

// Page is one page of a list.
type Page[T any] struct {
	Data []T `json:"data"`
	// NextCursor is the cursor of the next page; empty on the last one.
	NextCursor string `json:"next_cursor"`
}

// Page fetches the page at a cursor; the first one, or that of the filter, if it is empty.
func (p *Pages[T]) Page(ctx context.Context, cursor string) (page Page[T], err error) {
	values := maps.Clone(p.values)
	set(values, "cursor", cursor)
	err = p.client.send(ctx, call{method: "GET", path: withQuery(p.path, values), token: true}, &page)
	return page, err
}

// All iterates over the items from the first page on; a failure ends it.
//
//	for order, err := range client.ListOrders(sabika.ListFilter{}).All(ctx) {
func (p *Pages[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := ""; ; {
			page, err := p.Page(ctx, cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				return
			}
		}
	}
}
