//! Bytes as they lie in storage and in borsh arguments: little-endian integers and LEB128 variable-length ones.

use crate::prelude::*;

/// Reads values off the front of a slice; `None` when the slice ends too early.
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        if length > self.bytes.len() {
            return None;
        }
        let (head, tail) = self.bytes.split_at(length);
        self.bytes = tail;
        Some(head)
    }

    /// All that is left.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// The next byte, left where it is.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.first().copied()
    }

    pub fn u8(&mut self) -> Option<u8> {
        let (&first, tail) = self.bytes.split_first()?;
        self.bytes = tail;
        Some(first)
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub fn u128(&mut self) -> Option<u128> {
        Some(u128::from_le_bytes(self.take(16)?.try_into().ok()?))
    }

    /// A LEB128 number of at most 32 bits.
    pub fn varint(&mut self) -> Option<u32> {
        // Most numbers are of one byte or two.
        if let Some((&byte, tail)) = self.bytes.split_first().filter(|it| *it.0 < 0x80) {
            self.bytes = tail;
            return Some(u32::from(byte));
        }
        if let [low, high @ 0..0x80, tail @ ..] = self.bytes {
            self.bytes = tail;
            return Some(u32::from(low & 0x7f) | u32::from(*high) << 7);
        }
        let mut value = 0u32;
        let mut shift = 0;
        loop {
            let byte = self.u8()?;
            let part = u32::from(byte & 0x7f);
            if shift > 28 || (shift == 28 && part > 0x0f) {
                return None;
            }
            value |= part << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            shift += 7;
        }
    }

    /// A string behind its length as a varint.
    pub fn text(&mut self) -> Option<&'a str> {
        let length = self.varint()? as usize;
        core::str::from_utf8(self.take(length)?).ok()
    }
}

/// Passes runs of equal values, each its length and the value, and returns the value at `at`; 0 past their end.
pub fn value_in(reader: &mut Reader, at: u32) -> Option<u32> {
    let (mut found, mut passed) = (0, 0u32);
    for _ in 0..reader.varint()? {
        let (length, value) = (reader.varint()?, reader.varint()?);
        // Runs that begin behind `at` are far ahead of it, as no page has so many assets.
        if at.wrapping_sub(passed) < length {
            found = value;
        }
        passed = passed.wrapping_add(length);
    }
    Some(found)
}

/// The text at `place` of texts that stand behind each other.
pub fn text_in(texts: &[u8], place: u32) -> Option<&str> {
    let mut reader = Reader::new(texts);
    for _ in 0..place {
        let length = reader.varint()? as usize;
        reader.take(length)?;
    }
    reader.text()
}

/// Appends `value` as LEB128.
pub fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a string behind its length as a varint.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

/// Appends a byte that tells whether there is a value, and the value.
pub fn put_option<T>(out: &mut Vec<u8>, value: Option<T>, put: impl FnOnce(&mut Vec<u8>, T)) {
    out.push(u8::from(value.is_some()));
    if let Some(value) = value {
        put(out, value);
    }
}

/// Reads what [`put_option`] wrote.
pub fn read_option<'a, T>(
    reader: &mut Reader<'a>,
    read: impl FnOnce(&mut Reader<'a>) -> Option<T>,
) -> Option<Option<T>> {
    match reader.u8()? {
        0 => Some(None),
        _ => read(reader).map(Some),
    }
}

/// The texts behind each other. Less code than the standard library's `concat`, which every call would load.
pub fn joined(parts: &[&str]) -> String {
    let mut out = String::with_capacity(128);
    for part in parts {
        out.push_str(part);
    }
    out
}

/// Appends an unsigned integer in decimal digits.
pub fn put_decimal(out: &mut String, value: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = value;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    // SAFETY: digits are ASCII.
    out.push_str(unsafe { core::str::from_utf8_unchecked(&digits[at..]) });
}

/// Appends an amount in decimal digits.
pub fn put_amount(out: &mut String, value: u128) {
    const PART: u128 = 10u128.pow(19);
    let (high, low) = (value / PART, (value % PART) as u64);
    if high == 0 {
        put_decimal(out, low);
        return;
    }
    put_amount(out, high);
    // The lower part keeps its leading zeros.
    let from = out.len();
    put_decimal(out, low);
    let zeros = 19 - (out.len() - from);
    for _ in 0..zeros {
        out.insert(from, '0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn varints_come_back(values in prop::collection::vec(any::<u32>(), 0..50)) {
            let mut bytes = Vec::new();
            for &value in &values {
                put_varint(&mut bytes, value);
            }
            let mut reader = Reader::new(&bytes);
            for &value in &values {
                prop_assert_eq!(reader.varint(), Some(value));
            }
            prop_assert!(reader.is_empty());
            prop_assert_eq!(reader.varint(), None);
        }

        #[test]
        fn decimals_are_rusts_own(value in any::<u64>()) {
            let mut text = String::new();
            put_decimal(&mut text, value);
            prop_assert_eq!(text, value.to_string());
        }
    }

    #[test]
    fn a_varint_over_32_bits_is_refused() {
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint(), None);
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x0f]).varint(),
            Some(u32::MAX)
        );
        assert_eq!(
            Reader::new(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x00]).varint(),
            None
        );
    }
}
