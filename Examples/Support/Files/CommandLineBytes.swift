import Glibc

/// The words of the command line as they were typed. A string has lost the bytes that are not UTF-8.
package enum CommandLineBytes {
    /// The bytes of the word that reads like this, or those of the text itself if there is none.
    package static func of(_ text: String) -> [UInt8] {
        for index in CommandLine.arguments.indices.dropFirst() where CommandLine.arguments[index] == text {
            guard let word = CommandLine.unsafeArgv[index] else { break }
            return UnsafeRawBufferPointer(start: word, count: strlen(word)).map { $0 }
        }
        return Array(text.utf8)
    }
}
