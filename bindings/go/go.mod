module chorale.example/bindings/go

go 1.19
