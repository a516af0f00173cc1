import Glibc
import LatticeCharts

/// Reads result files and writes charts.
enum ChartFiles {
    /// The maximum size of a result file in bytes. Longer files have no results.
    private static let maximumSize = 1 << 20

    /// Returns the content of a file.
    ///
    /// - Throws: `ChartError` if the file cannot be read or is too large.
    static func text(of path: String) throws(ChartError) -> String {
        guard let file = fopen(path, "r") else { throw .unreadable(path, reason: lastError) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
            guard bytes.count <= maximumSize else {
                throw .unreadable(path, reason: "it has more than \(maximumSize) bytes")
            }
        }
        guard ferror(file) == 0 else { throw .unreadable(path, reason: lastError) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a text to a file, and creates its folder if it is missing.
    ///
    /// - Returns: The path of the file.
    /// - Throws: `ChartError` if the folder or the file cannot be written.
    static func write(_ text: String, to name: String, in folder: String) throws(ChartError) -> String {
        let path = "\(folder)/\(name)"
        guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw .unwritable(path, reason: lastError) }
        guard let file = fopen(path, "w") else { throw .unwritable(path, reason: lastError) }
        let isWritten = fputs(text, file) >= 0
        // The last bytes are written when the file is closed.
        guard fclose(file) == 0, isWritten else { throw .unwritable(path, reason: lastError) }
        return path
    }

    private static var lastError: String { String(cString: strerror(errno)) }
}
