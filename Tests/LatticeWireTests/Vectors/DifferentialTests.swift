import ByteTestSupport
import Foundation
import LatticeCoding
import LatticeWire
import Testing

/// Tests that this implementation treats each input as the second implementation does.
///
/// The environment variable `LATTICE_EDGES` names the file that `Protocols/edges.py` has written.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["LATTICE_EDGES"] != nil)) struct DifferentialTests {
    private struct Edge: Decodable {
        var kind: String
        var hex: String
        /// The state that a change is applied to, or the change that follows.
        var other: String?
        /// Nil: it is refused.
        var written: String?
    }

    @Test func bothImplementationsAgree() throws {
        let path = try #require(ProcessInfo.processInfo.environment["LATTICE_EDGES"])
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let edges = try text.split(separator: "\n").map { try JSONDecoder().decode(Edge.self, from: Data($0.utf8)) }
        #expect(edges.count { $0.written != nil } > 100)
        #expect(edges.count { $0.written == nil } > 100)
        for edge in edges {
            do {
                let written = try Self.written(edge.kind, Hex.bytes(edge.hex), other: Hex.bytes(edge.other ?? ""))
                #expect(written == edge.written, "\(edge.kind) \(edge.hex)")
            } catch {
                #expect(edge.written == nil, "\(edge.kind) \(edge.hex): \(error)")
            }
        }
    }

    private static func written(_ kind: String, _ bytes: [UInt8], other: [UInt8]) throws -> String {
        switch kind {
        case "apply":
            return Hex.digits(try StateChange(bytes).apply(to: other, maximum: .max))
        case "fold":
            return Hex.digits(try StateChange(bytes).folded(with: StateChange(other)).bytes)
        case "stream":
            return try stream(bytes)
        case "value":
            return try bytes.withBytes { bytes throws(CBORError) in
                var reader = CBORReader(bytes)
                try reader.skip()
                try reader.finish()
                return Hex.digits([UInt8](bytes))
            }
        default:
            guard let number = MessageKind.allCases.first(where: { "\($0)" == kind }) else { return "no such kind" }
            return try bytes.withBytes { bytes throws(WireError) in
                Hex.digits(try WireMessage.decode(number, bytes).encoded)
            }
        }
    }

    private static func stream(_ bytes: [UInt8]) throws -> String {
        try VectorTests.messages([bytes], from: .initiator)
            .map { String(format: "%04x%08x", $0.kind, $0.channel) + Hex.digits($0.body) + "/" }.joined()
    }
}
