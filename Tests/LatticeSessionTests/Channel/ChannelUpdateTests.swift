import LatticeSession
import LatticeWire
import Testing

/// Tests how updates are joined while their receiver is busy.
struct ChannelUpdateTests {
    @Test(
        "Joined updates keep the newest crash report of each incarnation, and of many incarnations the last ones",
        arguments: [
            ([], []), ([1], [1]), ([1, 1], [1]), ([1, 2], [1, 2]), ([1, 2, 1], [2, 1]),
            (Array(1...9), Array(2...9)), (Array(1...9) + [2, 10], [4, 5, 6, 7, 8, 9, 2, 10]),
        ] as [([UInt64], [UInt64])]
    )
    func crashReports(incarnations: [UInt64], kept: [UInt64]) {
        #expect(ChannelUpdate.maximumCrashReports == 8)
        var joined = ChannelUpdate()
        for (index, incarnation) in incarnations.enumerated() {
            var update = ChannelUpdate()
            var message = CrashReportMessage()
            message.incarnation = incarnation
            message.quarantined = UInt64(index)
            update.add(.crashReport(message))
            update.add(.opened)
            joined.merge(update)
        }
        let reports = joined.changes.compactMap { if case .crashReport(let report) = $0 { report } else { nil } }
        #expect(reports.map(\.incarnation) == kept)
        let newest = kept.map { incarnation in incarnations.lastIndex(of: incarnation).map { UInt64($0) } }
        #expect(reports.map(\.quarantined) == newest)
    }
}
