//! The JSON grammar (RFC 8259).

use super::{Json, Object, FIELDS};
use crate::prelude::*;
use alloc::borrow::Cow;

/// Reads one value off a text.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// Values that may still come.
    pub(super) left: u32,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Passes `byte` if it is next.
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str, value: Json<'a>) -> Option<Json<'a>> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += word.len();
        rest.starts_with(word.as_bytes()).then_some(value)
    }

    /// The next value, which may nest `depth` levels; space around it is passed.
    pub(super) fn value(&mut self, depth: u8) -> Option<Json<'a>> {
        self.left = self.left.checked_sub(1)?;
        self.space();
        let value = match self.peek()? {
            b'n' => self.word("null", Json::Null)?,
            b't' => self.word("true", Json::Bool(true))?,
            b'f' => self.word("false", Json::Bool(false))?,
            b'"' => Json::Text(self.string()?),
            b'[' => Json::List(self.list(depth.checked_sub(1)?)?),
            b'{' => Json::Object(self.object(depth.checked_sub(1)?)?),
            _ => Json::Number(self.number()?),
        };
        self.space();
        Some(value)
    }

    fn list(&mut self, depth: u8) -> Option<Vec<Json<'a>>> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.eat(b']') {
            return Some(items);
        }
        loop {
            items.push(self.value(depth)?);
            if self.eat(b']') {
                return Some(items);
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    fn object(&mut self, depth: u8) -> Option<Object<'a>> {
        self.at += 1;
        let mut object = Object::default();
        self.space();
        if self.eat(b'}') {
            return Some(object);
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return None;
            }
            let name = self.string()?;
            self.space();
            if !self.eat(b':') {
                return None;
            }
            let value = self.value(depth)?;
            if object.fields.len() == FIELDS {
                return None;
            }
            object.fields.push((name, value));
            if self.eat(b'}') {
                return Some(object);
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    fn number(&mut self) -> Option<&'a str> {
        let from = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.text.get(from..self.at)
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.at += 1;
        let from = self.at;
        let mut own: Option<String> = None;
        let mut copied = from;
        loop {
            match self.peek()? {
                b'"' => {
                    let rest = self.text.get(copied..self.at)?;
                    self.at += 1;
                    return Some(match own {
                        None => Cow::Borrowed(rest),
                        Some(mut own) => {
                            own.push_str(rest);
                            Cow::Owned(own)
                        }
                    });
                }
                b'\\' => {
                    let own = own.get_or_insert_with(String::new);
                    own.push_str(self.text.get(copied..self.at)?);
                    self.at += 1;
                    own.push(self.escape()?);
                    copied = self.at;
                }
                0..=0x1f => return None,
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += 1;
        Some(match kind {
            b'"' | b'\\' | b'/' => kind as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first);
                }
                // Characters beyond the basic plane come as two halves.
                if !(self.eat(b'\\') && self.eat(b'u')) {
                    return None;
                }
                let second = self
                    .unit()?
                    .checked_sub(0xdc00)
                    .filter(|&low| low < 0x400)?;
                return char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + second);
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let mut value = 0;
        for _ in 0..4 {
            value = value << 4 | char::from(self.peek()?).to_digit(16)?;
            self.at += 1;
        }
        Some(value)
    }
}
