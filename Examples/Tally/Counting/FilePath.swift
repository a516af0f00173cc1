/// Paths in the bytes that the file system has, which need not be UTF-8.
enum FilePath {
    /// Calls `body` with the path of something below the root, ended by a zero byte.
    static func withFullPath<Result>(_ root: [UInt8], _ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result)
        -> Result
    {
        var full = root
        if !path.isEmpty {
            if full.last != UInt8(ascii: "/") { full.append(UInt8(ascii: "/")) }
            full.append(contentsOf: path)
        }
        let characters = full.map { CChar(bitPattern: $0) } + [0]
        return characters.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("an array that ends with 0 is not empty") }
            return body(base)
        }
    }
}
