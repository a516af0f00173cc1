import Testing

@testable import ChecksumsProgram

struct SHA256Tests {
    @Test(
        "The checksum is that of the standard, however the message is split",
        arguments: [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
            (120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
        ]
    )
    func checksum(length: Int, expected: String) {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        for cut in 0...length {
            var hash = SHA256()
            message.withUnsafeBytes { bytes in
                hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
                hash.update(UnsafeRawBufferPointer(rebasing: bytes[cut...]))
            }
            #expect(hash.finish().description == expected)
        }
    }
}
