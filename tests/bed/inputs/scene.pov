#version 3.7;
global_settings { assumed_gamma 1 }
camera { location <0, 3, -8> look_at 0 }
light_source { <5, 9, -7> rgb 1 }
plane { y, -1 pigment { checker rgb 1 rgb 0.2 } finish { reflection 0.3 } }
#declare R = seed(7);
#for (i, 1, 400)
sphere { <8 * rand(R) - 4, 3 * rand(R) - 1, 8 * rand(R) - 2>, 0.25 pigment { rgb <rand(R), rand(R), rand(R)> } finish { phong 0.8 reflection 0.2 } }
#end
