package sabika

import (
	"cmp"
	"context"
	"database/sql"
)

// SequenceInPostgres keeps the number in PostgreSQL, with any driver of database/sql, in a table that you make
// once:
//
//	create table sabika_receivers (name text primary key, next_sequence bigint not null)
//
// What Handle writes in TransactionOf its context has its effect exactly once, whichever process is killed at
// any moment, and however many processes receive.
type SequenceInPostgres struct {
	DB *sql.DB
	// Name is that of this receiver among several in one database; sabika when empty.
	Name string
	// First is the number of the first event to handle; 1 when zero.
	First int64
}

type transactionKey struct{}

// TransactionOf returns the transaction of a step of SequenceInPostgres, whose work has this context.
func TransactionOf(ctx context.Context) *sql.Tx {
	transaction, _ := ctx.Value(transactionKey{}).(*sql.Tx)
	return transaction
}

func (s *SequenceInPostgres) name() string { return cmp.Or(s.Name, "sabika") }

// Next returns the number of the next event.
func (s *SequenceInPostgres) Next(ctx context.Context) (next int64, err error) {
	_, err = s.DB.ExecContext(ctx,
		"insert into sabika_receivers (name, next_sequence) values ($1, $2) on conflict do nothing",
		s.name(), cmp.Or(s.First, 1))
	if err != nil {
		return 0, err
	}
	row := s.DB.QueryRowContext(ctx, "select next_sequence from sabika_receivers where name = $1", s.name())
	err = row.Scan(&next)
	return next, err
}

// Step does the work in a transaction, unless this is not the next event.
func (s *SequenceInPostgres) Step(
	ctx context.Context, sequence int64, work func(context.Context) error,
) (bool, error) {
	transaction, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer transaction.Rollback() // Without effect after the commit.
	// The row's lock makes other processes wait; they then find a greater number.
	result, err := transaction.ExecContext(ctx,
		"update sabika_receivers set next_sequence = next_sequence + 1 where name = $1 and next_sequence = $2",
		s.name(), sequence)
	if err != nil {
		return false, err
	}
	if changed, err := result.RowsAffected(); err != nil || changed == 0 {
		return false, err
	}
	if err := work(context.WithValue(ctx, transactionKey{}, transaction)); err != nil {
		return false, err
	}
	return true, transaction.Commit()
}
