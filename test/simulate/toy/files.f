toy.sv
