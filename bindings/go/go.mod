module chorale

go 1.19
