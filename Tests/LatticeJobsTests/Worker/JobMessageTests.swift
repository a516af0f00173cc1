import LatticeCoding
import Testing

@testable import LatticeJobs

@Suite struct JobMessageTests {
    private static let order = JobOrder(
        number: .max,
        job: 7,
        name: "compress",
        attempt: 2,
        gracePeriod: 2_000_000_000,
        isSilenceLimited: true,
        lines: .now,
        input: [1, 2, 3]
    )
    private static let error = ThrownError(type: "Missing", name: "Files.Missing", text: "no file", encoded: [0xa0])
    private static let progress = JobProgress(completedUnits: 3, totalUnits: 4, line: "page 3")

    @Test("An attempt that is sent to a worker arrives as it was", arguments: [nil, .max] as [UInt64?])
    func order(after: UInt64?) throws {
        var order = Self.order
        order.mayBeFollowed = after == nil
        order.after = after
        let bytes = try CBOREncoder().encode(order)
        #expect(try CBORDecoder().decode(JobOrder.self, from: bytes) == order)
    }

    @Test(
        "The end of an attempt arrives as it was",
        arguments: [
            JobReply.returned([], nil), .returned([1, 2], progress), .threw(error, nil), .threw(error, progress),
            .refused("its worker does not host it"), .takenBack,
        ]
    )
    func reply(_ reply: JobReply) throws {
        let bytes = try CBOREncoder().encode(reply)
        #expect(try CBORDecoder().decode(JobReply.self, from: bytes) == reply)
    }

    @Test("Bytes that are no way to read lines, or no end of an attempt, are an error")
    func invalid() throws {
        let text = try CBOREncoder().encode("sometimes")
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(LineReading.self, from: text) }
        let map = try CBOREncoder().encode(["lost": 1])
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(JobReply.self, from: map) }
    }
}
