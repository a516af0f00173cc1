import Foundation
import Testing

@testable import TallyProgram

struct PackedPathsTests {
    private static func path(_ alphabet: Int, _ generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<Int.random(in: 0..<300, using: &generator)).map { _ in
            UInt8.random(in: 0...UInt8(alphabet - 1), using: &generator)
        }
    }

    @Test(
        "Paths of any bytes are unpacked as they were packed, in the order of their bytes",
        arguments: [1, 2, 3, 16, 64, 65, 256]
    )
    func anyBytes(alphabet: Int) {
        var generator = SystemRandomNumberGenerator()
        let paths = (0..<200).map { _ in Self.path(alphabet, &generator) }
        #expect(Array(PackedPaths(paths)) == paths.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test(
        arguments: [
            [], [[]], [[], []], [[1]], [[1], [1]], [[1, 2], [1], [1, 2, 2]], [[1, 1, 1], [1, 1]],
        ] as [[[UInt8]]]
    )
    func shortOnes(paths: [[UInt8]]) {
        #expect(Array(PackedPaths(paths)) == paths.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test("Names of letters and digits take six bits per character, and shared prefixes are stored once")
    func size() throws {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./".utf8)
        let names = (0..<500).map { _ in
            Array("folder/".utf8) + (0..<244).map { _ in letters.randomElement(using: &generator) ?? 0 }
                + Array(".txt".utf8)
        }
        #expect(try encodedSize(PackedPaths(names)) < 500 * 190)
        let numbered = (0..<500).map { Array("folder/\($0)\(String(repeating: "x", count: 244)).txt".utf8) }
        #expect(try encodedSize(PackedPaths(numbered)) < 500 * 8)
    }

    @Test("Malformed packed paths end early")
    func malformed() throws {
        var generator = SystemRandomNumberGenerator()
        let bytes = try JSONEncoder().encode(PackedPaths((0..<20).map { _ in Self.path(40, &generator) }))
        let packed = try JSONDecoder().decode([UInt8].self, from: bytes)
        for _ in 0..<2_000 {
            var broken = packed
            broken[Int.random(in: broken.indices)] = UInt8.random(in: 0...255)
            broken.removeLast(Int.random(in: 0..<broken.count))
            let paths = try JSONDecoder().decode(PackedPaths.self, from: JSONEncoder().encode(broken))
            #expect(Array(paths).count <= packed.count)
        }
    }

    private func encodedSize(_ paths: PackedPaths) throws -> Int {
        try JSONDecoder().decode([UInt8].self, from: JSONEncoder().encode(paths)).count
    }
}
