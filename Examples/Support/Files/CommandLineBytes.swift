import Glibc

/// The bytes of the command-line arguments as they were typed. A `String` does not preserve bytes that are not UTF-8.
package enum CommandLineBytes {
    /// Returns the bytes of the argument with the given text, or the bytes of the text if there is no such argument.
    package static func of(_ text: String) -> [UInt8] {
        for index in CommandLine.arguments.indices.dropFirst() where CommandLine.arguments[index] == text {
            guard let word = CommandLine.unsafeArgv[index] else { break }
            return UnsafeRawBufferPointer(start: word, count: strlen(word)).map { $0 }
        }
        return Array(text.utf8)
    }
}
