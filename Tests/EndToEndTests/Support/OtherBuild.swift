#if os(Linux)
import Foundation
import Testing

/// A program that differs from another one in nothing but the build that it says it is.
struct OtherBuild {
    /// The builds of the two, in hexadecimal digits.
    let before: String
    let now: String

    /// Makes one.
    ///
    /// - Parameter path: Where to. A file that is there is replaced by another one, as installers do.
    init(of program: String, at path: String) async throws {
        var file = try Data(contentsOf: URL(fileURLWithPath: program))
        // The linker's note: the sizes of its name and of what it says, its kind, its name.
        let head = Data([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]) + Data("GNU\0".utf8)
        let note = try #require(file.range(of: head), "the linker wrote no build ID of 20 bytes")
        let build = note.upperBound..<note.upperBound + 20
        before = Self.digits(file[build])
        file[build.lowerBound] ^= 0xff
        now = Self.digits(file[build])
        try file.write(to: URL(fileURLWithPath: path + ".data"))
        try await run("cp \"$0.data\" \"$0.new\" && chmod 700 \"$0.new\" && mv \"$0.new\" \"$0\"", path)
    }

    private static func digits(_ bytes: Data) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
#endif
