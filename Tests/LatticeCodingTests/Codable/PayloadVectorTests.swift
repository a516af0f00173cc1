import ByteTestSupport
import Foundation
import LatticeCoding
import Testing

/// Protocols/vectors/payloads.json is what this library makes of values, and what it takes for values.
///
/// Tests the vectors of payloads. If the environment variable `LATTICE_WRITE_VECTORS` is set, the first part is written
/// instead of compared.
@Suite struct PayloadVectorTests {
    private struct File: Decodable {
        struct Written: Decodable {
            var name: String
        }

        struct Read: Decodable {
            var name: String
            var type: String
            var bytes: String
            /// The decoded value as text, or nil if the bytes must be refused.
            var value: String?
        }

        var written: [Written]
        var read: [Read]
    }

    private static let file = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "Protocols/vectors/payloads.json")

    @Test func theWrittenPayloadsAreWhatIsEncoded() throws {
        let lines = try PayloadSamples.written.map { sample in
            #"    {"name": "\#(sample.name)", "value": \#(sample.view), "#
                + #""bytes": "\#(Hex.digits(try sample.encode()))"}"#
        }
        let part = "{\n  \"written\": [\n" + lines.joined(separator: ",\n") + "\n  ],\n"
        if ProcessInfo.processInfo.environment["LATTICE_WRITE_VECTORS"] != nil {
            let old = try String(contentsOf: Self.file, encoding: .utf8)
            let rest = try #require(old.range(of: "  \"read\": ["))
            try Data((part + old[rest.lowerBound...]).utf8).write(to: Self.file)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8).hasPrefix(part))
    }

    @Test func theWrittenPayloadsComeBack() throws {
        for sample in PayloadSamples.written {
            #expect(try sample.comesBack(sample.encode()), "\(sample.name)")
        }
    }

    @Test func theReadPayloadsAreReadOrRefused() throws {
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: Self.file))
        #expect(file.written.map(\.name) == PayloadSamples.written.map(\.name))
        #expect(file.read.count > 20)
        for vector in file.read {
            let found = try? PayloadSamples.read(vector.type, Hex.bytes(vector.bytes))
            #expect(found == vector.value, "\(vector.name)")
        }
    }
}
