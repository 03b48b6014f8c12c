//! A shared library as a file: its functions, and what the dynamic linker puts where.

use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// What a pointer in the library is once it is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// An address in the library.
    Inside(u64),
    /// A symbol that is looked up by name.
    Named(String),
}

/// One function.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub code: Vec<u8>,
}

pub struct Library {
    /// By address.
    pub functions: BTreeMap<u64, Function>,
    /// Of the functions that others see, by name.
    pub exported: BTreeMap<String, u64>,
    /// By the address of the pointer.
    pub pointers: HashMap<u64, Pointer>,
    /// Each section of code, by address.
    code: BTreeMap<u64, Vec<u8>>,
}

impl Library {
    pub fn read(path: &Path) -> Library {
        let bytes = std::fs::read(path).unwrap();
        let file = object::File::parse(&bytes[..]).unwrap();
        let code: BTreeMap<u64, Vec<u8>> = file
            .sections()
            .filter(|section| section.kind() == SectionKind::Text)
            .map(|section| (section.address(), section.data().unwrap().to_vec()))
            .collect();
        let exported: BTreeMap<String, u64> = file
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text)
            .map(|symbol| (symbol.name().unwrap().to_owned(), symbol.address()))
            .collect();
        let dynamic = file.dynamic_symbol_table().unwrap();
        let pointers = file.dynamic_relocations().unwrap().map(|(at, relocation)| {
            let symbol = match relocation.target() {
                RelocationTarget::Symbol(index) => {
                    Some(object::ObjectSymbolTable::symbol_by_index(&dynamic, index).unwrap())
                }
                _ => None,
            };
            let name = symbol.map(|symbol| symbol.name().unwrap().to_owned()).filter(|name| !name.is_empty());
            (at, name.map_or(Pointer::Inside(relocation.addend() as u64), Pointer::Named))
        });
        let pointers = pointers.collect();
        let mut library = Library { functions: BTreeMap::new(), exported, pointers, code };
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
            let code = library.code_at(symbol.address())[..symbol.size() as usize].to_vec();
            library.functions.insert(symbol.address(), Function { name: symbol.name().unwrap().to_owned(), code });
        }
        library
    }

    /// The code from an address to the end of its section; empty where none is.
    pub fn code_at(&self, address: u64) -> &[u8] {
        let section = self.code.range(..=address).next_back();
        section.and_then(|(start, code)| code.get((address - start) as usize..)).unwrap_or_default()
    }

    /// The functions whose name has this part.
    pub fn named<'a>(&'a self, part: &'a str) -> impl Iterator<Item = (u64, &'a Function)> {
        self.functions
            .iter()
            .map(|(at, function)| (*at, function))
            .filter(move |(_, function)| function.name.contains(part))
    }
}
