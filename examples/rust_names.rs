// SPDX-License-Identifier: BSD-3-Clause
//! Names for the memory of a Rust program, and its phases.
//!     rustc -O -g -C symbol-mangling-version=v0 rust_names.rs -l loadstone
//!     loadstone record -o rust.h5 -- ./rust_names
use std::ffi::{c_void, CString};
use std::os::raw::{c_char, c_int};

/// The calls of loadstone/loadstone.h and loadstone/smr.h that this program needs.
mod loadstone {
    use super::*;

    #[repr(C)]
    struct Spec {
        label: *const c_char,
        start: *const c_void,
        end: *const c_void,
        elem_size_bytes: usize,
        dims: usize,
    }

    extern "C" {
        fn smr_tree_new(out: *mut *mut c_void) -> c_int;
        fn smr_tree_insert(tree: *mut c_void, spec: *const Spec, out: *mut *mut c_void) -> c_int;
        fn loadstone_phase_begin(name: *const c_char);
        fn loadstone_phase_end(name: *const c_char);
    }

    pub struct Tree(*mut c_void);

    impl Tree {
        pub fn new() -> Option<Tree> {
            let mut tree = std::ptr::null_mut();
            (unsafe { smr_tree_new(&mut tree) } == 0).then_some(Tree(tree))
        }

        /// Give the memory of a slice a name. False: the range overlaps another one (ls_last_error has the cause).
        pub fn register<T>(&self, label: &str, data: &[T]) -> bool {
            let label = CString::new(label).expect("a label without NUL");
            let range = data.as_ptr_range();
            let spec = Spec {
                label: label.as_ptr(),
                start: range.start.cast(),
                end: range.end.cast(),
                elem_size_bytes: std::mem::size_of::<T>(),
                dims: 1,
            };
            let mut node = std::ptr::null_mut();
            unsafe { smr_tree_insert(self.0, &spec, &mut node) == 0 }
        }
    }

    /// A phase that ends with the value.
    pub struct Phase(CString);

    impl Phase {
        pub fn new(name: &str) -> Phase {
            let name = CString::new(name).expect("a name without NUL");
            unsafe { loadstone_phase_begin(name.as_ptr()) };
            Phase(name)
        }
    }

    impl Drop for Phase {
        fn drop(&mut self) {
            unsafe { loadstone_phase_end(self.0.as_ptr()) };
        }
    }
}

#[inline(never)]
fn gather<T: Copy + Into<f64>>(table: &[T], index: &[usize]) -> f64 {
    index.iter().map(|&i| table[i].into()).sum()
}

fn main() {
    let n = 1 << 22;
    let table: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let index: Vec<usize> = (0..n).map(|i| i * 7919 % n).collect();
    let unnamed = vec![1.0f64; n];
    let tree = loadstone::Tree::new().expect("a tree");
    assert!(tree.register("table", &table) && tree.register("index", &index));
    let _solve = loadstone::Phase::new("solve");
    let mut sum = 0.0;
    for _ in 0..20 {
        sum += gather(&table, &index) + gather(&unnamed, &index);
    }
    println!("{sum}");
}
