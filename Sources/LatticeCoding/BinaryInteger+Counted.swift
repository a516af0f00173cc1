extension BinaryInteger {
    /// Returns this number with a noun in the right form, such as "1 byte" and "2 bytes".
    ///
    /// - Parameter noun: The singular of a noun whose plural ends with "s".
    package func counted(_ noun: String) -> String {
        "\(self) \(noun)\(self == 1 ? "" : "s")"
    }
}
