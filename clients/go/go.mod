module sabika.example/go

go 1.24
