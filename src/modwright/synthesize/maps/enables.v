// SPDX-License-Identifier: Apache-2.0
// A synchronous reset of a register with an enable, as one of the words that it takes: for the rising edge, with the
// level of the reset, its value, and the level of the enable in the name. Yosys' simlib.v has the cells.

module \$_SDFFE_PP0P_ (input D, C, R, E, output Q);
  \$_DFFE_PP_ _TECHMAP_REPLACE_ (.D(D & ~R), .C(C), .E(E | R), .Q(Q));
endmodule

module \$_SDFFE_PP1P_ (input D, C, R, E, output Q);
  \$_DFFE_PP_ _TECHMAP_REPLACE_ (.D(D | R), .C(C), .E(E | R), .Q(Q));
endmodule

module \$_SDFFE_PN0P_ (input D, C, R, E, output Q);
  \$_DFFE_PP_ _TECHMAP_REPLACE_ (.D(D & R), .C(C), .E(E | ~R), .Q(Q));
endmodule

module \$_SDFFE_PN1P_ (input D, C, R, E, output Q);
  \$_DFFE_PP_ _TECHMAP_REPLACE_ (.D(D | ~R), .C(C), .E(E | ~R), .Q(Q));
endmodule

module \$_SDFFE_PP0N_ (input D, C, R, E, output Q);
  \$_DFFE_PP_ _TECHMAP_REPLACE_ (.D(D & ~R), .C(C), .E(~E | R), .Q(Q));
endmodule

module \$_SDFFE_PP1N_ (input D, C, R, E, output Q);
  \$_DFFE_PP_ _TECHMAP_REPLACE_ (.D(D | R), .C(C), .E(~E | R), .Q(Q));
endmodule

module \$_SDFFE_PN0N_ (input D, C, R, E, output Q);
  \$_DFFE_PP_ _TECHMAP_REPLACE_ (.D(D & R), .C(C), .E(~E | ~R), .Q(Q));
endmodule

module \$_SDFFE_PN1N_ (input D, C, R, E, output Q);
  \$_DFFE_PP_ _TECHMAP_REPLACE_ (.D(D | ~R), .C(C), .E(~E | ~R), .Q(Q));
endmodule
