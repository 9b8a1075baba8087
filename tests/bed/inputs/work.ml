(* SPDX-License-Identifier: BSD-3-Clause *)
let () =
  let table = Hashtbl.create 1000 and x = ref 12345 in
  for i = 1 to 2_000_000 do
    x := ((!x * 1103515245) + 12345) mod 2147483648;
    let k = !x mod 100003 in
    Hashtbl.replace table k (i + try Hashtbl.find table k with Not_found -> 0)
  done;
  let l = List.sort compare (Hashtbl.fold (fun _ v acc -> v :: acc) table []) in
  Printf.printf "%d %d\n" (Hashtbl.length table) (List.nth l 777)
