import LatticeCoding

/// Measures how long it takes to encode and decode large collections and small values.
@MainActor struct CodingBench {
    private let encoder = CBOREncoder()
    private let decoder = CBORDecoder()

    func run(into report: BenchReport) throws {
        try measureSmall("a structure of 96 bytes", CodingSamples.Card(), key: "struct", into: report)
        let card = CodingSamples.WrittenCard(CodingSamples.Card())
        try measureSmall("a structure of 96 bytes that is WireCodable", card, key: "wire_codable", into: report)
        let dictionary = CodingSamples.dictionary()
        try measureLarge("a dictionary of text and numbers", dictionary, key: "dictionary", into: report)
        try measureLarge("an array of text", CodingSamples.names(), key: "strings", into: report)
        try measureLarge("a set of text", Set(CodingSamples.names()), key: "set", into: report)
        try measureLarge("an array of numbers", Array(0..<CodingSamples.entries), key: "numbers", into: report)
        try measureLarge("a set of numbers", Set(0..<CodingSamples.entries), key: "number_set", into: report)
    }

    private func measureLarge<Value: Codable & Equatable>(
        _ name: String,
        _ value: Value,
        key: String,
        into report: BenchReport
    ) throws {
        var (encoding, decoding) = (Latencies(), Latencies())
        for _ in 0..<BenchScale.largeValues {
            try Task.checkCancellation()
            let start = SuspendingClock.now
            let bytes = try encoder.encode(value)
            let encoded = SuspendingClock.now
            let decoded = try decoder.decode(Value.self, from: bytes)
            decoding.record(encoded.duration(to: .now))
            encoding.record(start.duration(to: encoded))
            guard decoded == value else { throw BenchError("\(name) has changed by encoding and decoding it") }
        }
        for (verb, latencies) in [("encode", encoding), ("decode", decoding)] {
            let milliseconds = latencies.percentile(50) / 1_000_000
            report.add(figure: "ms to \(verb) \(name)", milliseconds, decimals: 1, key: "\(key)_\(verb)_ms")
        }
    }

    private func measureSmall<Value: Codable & Equatable>(
        _ name: String,
        _ value: Value,
        key: String,
        into report: BenchReport
    ) throws {
        let bytes = try encoder.encode(value)
        guard bytes.count == 96 else { throw BenchError("\(name) has \(bytes.count) bytes, not 96") }
        func encode(_ count: Int) throws {
            for _ in 0..<count { try BenchError.check(try encoder.encode(value).count, is: bytes.count) }
        }
        // Only the last value is compared, because comparing each one would be measured too.
        func decode(_ count: Int) throws {
            var decoded: Value?
            for _ in 0..<count { decoded = try decoder.decode(Value.self, from: bytes) }
            guard decoded == value else { throw BenchError("\(name) has changed by encoding and decoding it") }
        }
        for (verb, work) in [("encode", encode), ("decode", decode)] {
            try SendRounds.time(BenchScale.warmUp, work)
            let microseconds = try SendRounds.time(BenchScale.sends / 4, work).percentile(50) / 1000
            report.add(figure: "µs to \(verb) \(name)", microseconds, decimals: 3, key: "\(key)_\(verb)_us")
        }
    }
}
