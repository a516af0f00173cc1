/// Rewrites CBOR with indefinite lengths into the same values with definite ones.
enum DefiniteForm {
    /// - Throws: ``WireError`` with `malformedBody`.
    static func rewrite(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [UInt8] {
        var reader = CBORReader(bytes)
        try reader.skip(allowsIndefinite: true)
        try reader.finish()
        // The pass above has bounded the depth, and with it the recursion.
        reader.offset = 0
        var writer = CBORWriter()
        try rewrite(&reader, &writer)
        return writer.bytes
    }

    private static func rewrite(_ reader: inout CBORReader, _ writer: inout CBORWriter) throws(WireError) {
        let start = reader.offset
        let first = reader.bytes[start]
        let major = first >> 5
        guard first & 0x1f == 31 else {
            let head = try reader.head()
            var children: UInt64 = 0
            switch major {
            case 2, 3: reader.offset += Int(head.argument)
            case 4, 6: children = major == 4 ? head.argument : 1
            case 5: children = 2 * head.argument
            default: break
            }
            writer.append(encoded: UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset]))
            for _ in 0..<children { try rewrite(&reader, &writer) }
            return
        }
        reader.offset += 1
        if major == 2 || major == 3 {
            var content: [UInt8] = []
            while reader.bytes[reader.offset] != 0xff {
                content.append(contentsOf: try reader.content(major, "a piece of a string"))
            }
            writer.head(major << 5, UInt64(content.count))
            writer.append(encoded: content)
        } else {
            var elements = CBORWriter()
            var count: UInt64 = 0
            while reader.bytes[reader.offset] != 0xff {
                try rewrite(&reader, &elements)
                count += 1
            }
            writer.head(major << 5, major == 5 ? count / 2 : count)
            writer.append(encoded: elements.bytes)
        }
        reader.offset += 1
    }
}
