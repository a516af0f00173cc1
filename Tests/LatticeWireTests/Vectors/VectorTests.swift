import ByteTestSupport
import Foundation
import LatticeCoding
import LatticeWire
import Testing

/// The files under Protocols/vectors are what this library does, word for word.
///
/// Tests the vectors of the protocol. If the environment variable `LATTICE_WRITE_VECTORS` is set, the valid vectors are
/// written instead of compared.
@Suite struct VectorTests {
    static let folder = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "Protocols/vectors")

    @Test func theValidVectorsAreWhatIsEncoded() throws {
        let text = try VectorTests.validText()
        let file = VectorTests.folder.appending(path: "valid.json")
        if ProcessInfo.processInfo.environment["LATTICE_WRITE_VECTORS"] != nil {
            try Data(text.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test func theValidVectorsDecodeToTheirView() throws {
        let vectors = try VectorFile.read("valid.json", as: VectorFile.Valid.self)
        #expect(vectors.messages.count == MessageSamples.all.count)
        for (vector, sample) in zip(vectors.messages, MessageSamples.all) {
            let kind = try #require(MessageKind(rawValue: vector.number))
            let decoded = try Hex.bytes(vector.body).withBytes { bytes throws(WireError) in
                try WireMessage.decode(kind, bytes)
            }
            #expect(VectorView.json(decoded) == VectorView.json(sample.body), "\(vector.name)")
            #expect(Hex.digits(decoded.encoded) == vector.body, "\(vector.name)")
        }
    }

    @Test func theStreamsGiveTheirMessagesAtEverySplit() throws {
        for stream in VectorStreams.all {
            for split in 0...stream.bytes.count {
                let pieces = [Array(stream.bytes[..<split]), Array(stream.bytes[split...])]
                #expect(
                    try VectorTests.messages(pieces, from: stream.sender) == stream.messages,
                    "\(stream.name), split at \(split)"
                )
            }
        }
    }

    @Test("The invalid vectors are refused with their code (F34, F36)")
    func theInvalidVectorsAreRefusedWithTheirCode() throws {
        let vectors = try VectorFile.read("invalid.json", as: [VectorFile.Invalid].self)
        #expect(vectors.count > 60)
        for vector in vectors {
            let error = #expect(throws: WireError.self, "\(vector.name)") {
                let bytes = Hex.bytes(vector.hex)
                guard let name = vector.kind else {
                    _ = try VectorTests.messages([bytes], from: vector.from == "acceptor" ? .acceptor : .initiator)
                    return
                }
                let kind = try #require(MessageKind.allCases.first { "\($0)" == name })
                try bytes.withBytes { bytes throws(WireError) in _ = try WireMessage.decode(kind, bytes) }
            }
            #expect(error?.code.description == vector.code, "\(vector.name): \(String(describing: error))")
        }
    }

    @Test func theToleratedVectorsAreWrittenWithoutUnknownParts() throws {
        let vectors = try VectorFile.read("tolerated.json", as: [VectorFile.Tolerated].self)
        #expect(vectors.count > 10)
        for vector in vectors {
            let kind = try #require(MessageKind.allCases.first { "\($0)" == vector.kind })
            let written = try Hex.bytes(vector.hex).withBytes { bytes throws(WireError) in
                try WireMessage.decode(kind, bytes).encoded
            }
            #expect(Hex.digits(written) == vector.written, "\(vector.name)")
        }
    }

    static func messages(_ pieces: [[UInt8]], from sender: SessionSide) throws -> [VectorStreams.Message] {
        var decoder = FrameDecoder()
        var assembler = MessageAssembler(from: sender)
        var parts = PartReceiver(maximumPayload: FrameLimits.maximumState)
        var messages: [VectorStreams.Message] = []
        for piece in pieces {
            try piece.withBytes { bytes throws(WireError) in
                try decoder.feed(bytes) { header, body throws(WireError) in
                    try assembler.receive(header, body) { kind, channel, body throws(WireError) in
                        if kind.lane == .data, channel != 0 { _ = try parts.receive(kind, channel, body) }
                        messages.append(
                            VectorStreams.Message(kind: kind.rawValue, channel: channel, body: [UInt8](body))
                        )
                    }
                }
            }
        }
        return messages
    }

    private static func validText() throws -> String {
        let messages = try MessageSamples.all.map { sample in
            var frame: [UInt8] = []
            let channel: UInt32 = sample.kind.isSessionKind ? 0 : 7
            try sample.body.appendFrame(to: &frame, channel: channel)
            return """
                    {
                      "name": \(VectorView.quoted(sample.name)),
                      "kind": "\(sample.kind)", "number": \(sample.kind.rawValue), "channel": \(channel),
                      "view": \(VectorView.json(sample.body)),
                      "body": "\(Hex.digits(sample.body.encoded))",
                      "frame": "\(Hex.digits(frame))"
                    }
                """
        }
        let streams = VectorStreams.all.map { stream in
            let messages = stream.messages.map {
                "{\"number\": \($0.kind), \"channel\": \($0.channel), \"body\": \"\(Hex.digits($0.body))\"}"
            }
            return """
                    {
                      "name": \(VectorView.quoted(stream.name)),
                      "from": "\(stream.sender)",
                      "hex": "\(Hex.digits(stream.bytes))",
                      "messages": [\(messages.joined(separator: ", "))]
                    }
                """
        }
        return "{\n  \"messages\": [\n\(messages.joined(separator: ",\n"))\n  ],\n  \"streams\": [\n"
            + "\(streams.joined(separator: ",\n"))\n  ]\n}\n"
    }
}

/// The fields of the vector files that Swift reads.
enum VectorFile {
    struct Valid: Decodable {
        var messages: [Message]
    }

    struct Message: Decodable {
        var name: String
        var number: UInt16
        var body: String
    }

    struct Tolerated: Decodable {
        var name: String
        var kind: String
        var hex: String
        var written: String
    }

    struct Invalid: Decodable {
        var name: String
        /// The kind whose body `hex` is; without it `hex` is a stream of frames.
        var kind: String?
        /// The sender of the stream. Without a value it is the side that began the session.
        var from: String?
        var hex: String
        var code: String
    }

    static func read<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: try Data(contentsOf: VectorTests.folder.appending(path: name)))
    }
}
