//! JSON as the contract's methods take and give it. A general library for typed JSON brings 250 kB of code here, which
//! every call would pay for; this reader builds one small tree and the writer appends to a string.

mod parse;
mod write;

#[cfg(test)]
mod tests;

use crate::accounts;
use crate::codec::joined;
use crate::error::{Failure, Outcome};
use crate::prelude::*;
use alloc::borrow::Cow;
use parse::Parser;
pub use write::Writer;

/// Arguments nest no deeper than this.
const DEPTH: u8 = 8;
/// Arguments have no more values than this, because each costs about 1 Mgas. The largest, changes of 600 tokens, have 10,000.
const VALUES: u32 = 32_768;
/// An object has no more fields than this. The largest, the approvals of a token that its transfer puts back, has 100.
const FIELDS: usize = 128;

/// A JSON value. Strings without escapes stay in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    /// The number's text, which is valid JSON.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Object<'a>),
}

/// The fields of an object in the order they came. Readers take them out, so that what is left is what nobody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object<'a> {
    fields: Vec<(Cow<'a, str>, Json<'a>)>,
}

/// A type that an argument can have.
pub trait FromJson<'a>: Sized {
    /// What the argument has to be, for the failure's sentence.
    const WHAT: &'static str;
    fn from_json(json: Json<'a>) -> Option<Self>;
}

impl<'a> FromJson<'a> for bool {
    const WHAT: &'static str = "true or false";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Bool(value) => Some(value),
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for u64 {
    const WHAT: &'static str = "a whole number";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for u32 {
    const WHAT: &'static str = "a whole number up to 4294967295";
    fn from_json(json: Json<'a>) -> Option<Self> {
        u64::from_json(json)?.try_into().ok()
    }
}

/// An amount: a string of decimal digits, as NEAR writes numbers of 128 bits.
impl<'a> FromJson<'a> for u128 {
    const WHAT: &'static str = "a string of decimal digits";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Text(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok()
            }
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for Cow<'a, str> {
    const WHAT: &'static str = "a string";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for String {
    const WHAT: &'static str = "a string";
    fn from_json(json: Json<'a>) -> Option<Self> {
        Cow::from_json(json).map(Cow::into_owned)
    }
}

impl<'a> FromJson<'a> for Object<'a> {
    const WHAT: &'static str = "an object";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// What may be null in a list.
impl<'a> FromJson<'a> for Option<Object<'a>> {
    const WHAT: &'static str = "an object or null";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Null => Some(None),
            json => Object::from_json(json).map(Some),
        }
    }
}

macro_rules! lists {
    ($($item:ty: $what:literal),* $(,)?) => { $(
        impl<'a> FromJson<'a> for Vec<$item> {
            const WHAT: &'static str = $what;
            fn from_json(json: Json<'a>) -> Option<Self> {
                match json {
                    Json::List(items) => items.into_iter().map(FromJson::from_json).collect(),
                    _ => None,
                }
            }
        }
    )* };
}

lists! {
    Cow<'a, str>: "a list of strings",
    u32: "a list of whole numbers up to 4294967295",
    Object<'a>: "a list of objects",
    Option<Object<'a>>: "a list of objects or null",
}

/// Numbers by account, such as royalties.
impl<'a> FromJson<'a> for Vec<(String, u64)> {
    const WHAT: &'static str = "an object of whole numbers, with each account once";
    fn from_json(json: Json<'a>) -> Option<Self> {
        let fields = Object::from_json(json)?.fields;
        let mut out = Self::with_capacity(fields.len());
        for (name, value) in fields {
            // Names are compared with each other, which costs little only while they are short.
            if name.len() > accounts::LONGEST || out.iter().any(|other| other.0 == name) {
                return None;
            }
            out.push((name.into_owned(), u64::from_json(value)?));
        }
        Some(out)
    }
}

/// What is wrong with a field.
#[inline(never)]
fn wrong(name: &str, fault: &str, what: &str) -> Failure {
    Failure::argument(joined(&[name, " ", fault, what, "."]))
}

impl<'a> Object<'a> {
    /// Reads a call's arguments; none at all are an empty object.
    pub fn parse(input: &'a [u8]) -> Outcome<Self> {
        if input.is_empty() {
            return Ok(Self::default());
        }
        let broken = || {
            Failure::argument("The arguments are not a JSON object, or have more than 32768 values, or an object of more than 128 fields.")
        };
        let text = core::str::from_utf8(input).map_err(|_| broken())?;
        let mut parser = Parser {
            text,
            at: 0,
            left: VALUES,
        };
        match parser.value(DEPTH) {
            Some(Json::Object(object)) if parser.at == text.len() => Ok(object),
            _ => Err(broken()),
        }
    }

    /// Takes a field out. One that comes twice could be read as one thing here and as another elsewhere. Names are not
    /// compared before, each with all others: whoever sends many long ones would make a call as dear as its gas allows.
    #[inline(never)]
    fn take(&mut self, name: &str) -> Outcome<Option<Json<'a>>> {
        let mut found = None;
        for (at, field) in self.fields.iter().enumerate() {
            if field.0 == name && found.replace(at).is_some() {
                return Err(wrong(name, "comes twice", ""));
            }
        }
        Ok(found.map(|at| self.fields.swap_remove(at).1))
    }

    /// `None`: absent; `Some(None)`: null.
    pub fn field<T: FromJson<'a>>(&mut self, name: &str) -> Outcome<Option<Option<T>>> {
        match self.take(name)? {
            None => Ok(None),
            Some(Json::Null) => Ok(Some(None)),
            Some(json) => match T::from_json(json) {
                Some(value) => Ok(Some(Some(value))),
                None => Err(wrong(name, "has to be ", T::WHAT)),
            },
        }
    }

    /// A field that may be absent or null.
    pub fn optional<T: FromJson<'a>>(&mut self, name: &str) -> Outcome<Option<T>> {
        Ok(self.field(name)?.flatten())
    }

    /// A field that has to be there.
    pub fn required<T: FromJson<'a>>(&mut self, name: &str) -> Outcome<T> {
        self.optional(name)?
            .ok_or_else(|| wrong(name, "is missing", ""))
    }

    /// Refuses fields that nobody took, so that a typing error never passes silently.
    pub fn finish(self) -> Outcome<()> {
        match self.fields.first() {
            None => Ok(()),
            Some(field) => Err(wrong(&field.0, "is not a field of this call", "")),
        }
    }
}
