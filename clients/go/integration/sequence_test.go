package integration

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"

	_ "github.com/lib/pq"
	sabika "sabika.example/go"
)

// openDatabase opens a database that has the tables of a receiver and of its effects.
func openDatabase(t *testing.T) *sql.DB {
	t.Helper()
	database, err := sql.Open("postgres", variable(t, "SABIKA_PARTNER_DATABASE")+"?sslmode=disable")
	if err == nil {
		_, err = database.Exec(`
			drop table if exists sabika_receivers, effects;
			create table sabika_receivers (name text primary key, next_sequence bigint not null);
			create table effects (receiver text, number bigint)`)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { database.Close() })
	return database
}

func write(ctx context.Context, receiver string, number int64) error {
	_, err := sabika.TransactionOf(ctx).Exec("insert into effects values ($1, $2)", receiver, number)
	return err
}

// effects returns the numbers that a receiver has written, in their order.
func effects(t *testing.T, database *sql.DB, receiver string) string {
	t.Helper()
	var numbers string
	row := database.QueryRow(
		"select coalesce(string_agg(number::text, ' ' order by ctid), '') from effects where receiver = $1", receiver)
	if err := row.Scan(&numbers); err != nil {
		t.Fatal(err)
	}
	return numbers
}

func TestProcessesThatShareADatabaseStepOnceAndInOrder(t *testing.T) {
	database := openDatabase(t)
	var processes sync.WaitGroup
	for range 4 {
		sequence := &sabika.SequenceInPostgres{DB: database, Name: "shared"}
		processes.Add(1)
		go func() {
			defer processes.Done()
			for {
				number, err := sequence.Next(t.Context())
				if err != nil || number > 9 {
					return
				}
				_, err = sequence.Step(t.Context(), number, func(ctx context.Context) error {
					return write(ctx, "shared", number)
				})
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	processes.Wait()
	if found := effects(t, database, "shared"); found != "1 2 3 4 5 6 7 8 9" {
		t.Error(found)
	}
}

func TestWhatAFailedStepWroteIsTakenBack(t *testing.T) {
	database := openDatabase(t)
	sequence := &sabika.SequenceInPostgres{DB: database, Name: "failing", First: 7}
	if next, err := sequence.Next(t.Context()); err != nil || next != 7 {
		t.Fatal(next, err)
	}
	failure := errors.New("after it wrote")
	for number, failure := range map[int64]error{7: failure, 8: nil} {
		isDone, err := sequence.Step(t.Context(), number, func(ctx context.Context) error {
			return errors.Join(write(ctx, "failing", number), failure)
		})
		if isDone || !errors.Is(err, failure) {
			t.Error(number, isDone, err)
		}
	}
	if found := effects(t, database, "failing"); found != "" {
		t.Error(found)
	}
}
