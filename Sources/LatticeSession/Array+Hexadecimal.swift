extension [UInt8] {
    /// Two digits for each byte, in small letters.
    package var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
