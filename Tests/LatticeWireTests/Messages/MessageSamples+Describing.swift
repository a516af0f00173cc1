import LatticeCoding
import LatticeWire

extension MessageSamples {
    static let describing: [Sample] = [
        Sample("describe, all sections", DescribeMessage(request: 1)),
        Sample(
            "describe, a page",
            DescribeMessage(
                request: 2,
                section: "instances",
                filter: "tally",
                sortKey: "waiting",
                reverse: 1,
                limit: 20,
                offset: 40
            )
        ),
        Sample("describe, continued", DescribeMessage(request: 3, section: "log", limit: 1000, after: 4711)),
        Sample(
            "describe, boundary",
            DescribeMessage(
                request: MessageLimits.maximumGrowing,
                section: String(repeating: "s", count: 64),
                filter: String(repeating: "f", count: 255),
                sortKey: String(repeating: "k", count: 64),
                reverse: .max,
                limit: .max,
                offset: .max,
                after: MessageLimits.maximumGrowing
            )
        ),
        Sample("description, all rows", DescriptionMessage(request: 1, total: 1, shown: 1, rows: rows)),
        Sample("description, cut", DescriptionMessage(request: 2, total: 900, shown: 1, rows: rows, cut: .size)),
        Sample("description, no rows", DescriptionMessage(request: 3, total: 0, shown: 0, rows: [0x80])),
        Sample(
            "description, an error",
            DescriptionMessage(request: 4, .unknownSection, reason: "There is no section \"nothing\".")
        ),
        Sample(
            "operate, a restart",
            OperateMessage(request: 1, act: "restart", arguments: arguments(["target": "uploads/2026"]))
        ),
        Sample("operate, no arguments", OperateMessage(request: 2, act: "later", arguments: arguments([:]))),
        Sample(
            "operate, boundary",
            OperateMessage(
                request: MessageLimits.maximumGrowing,
                act: String(repeating: "a", count: 64),
                arguments: arguments(["event": .text(String(repeating: "e", count: 4085))])
            )
        ),
        Sample(
            "operated, done",
            OperatedMessage(
                request: 1,
                .done,
                reason: "The worker uploads/2026 has ended, and its next incarnation is being started.",
                rows: restarted
            )
        ),
        Sample(
            "operated, an error",
            OperatedMessage(request: 2, .unknownAct, reason: "There is no act \"later\".")
        ),
    ]

    /// A row with a value of each type.
    static let row: [String: DescriptionValue] = [
        "worker": "uploads/2026", "processID": 4711, "reason": nil, "standby": false, "load": 0.5,
        "sinceMilliseconds": 90_061_000, "build": .bytes([0x0a, 0x1b]), "offset": -300,
        "terminations": [["cause": "killed by signal 9 (SIGKILL)", "agoMilliseconds": 12]],
    ]

    private static func arguments(_ arguments: [String: DescriptionValue]) -> [UInt8] {
        var writer = CBORWriter()
        DescriptionValue.encode(arguments, into: &writer)
        return writer.bytes
    }

    private static let restarted: [UInt8] = {
        var writer = CBORWriter()
        writer.append(arrayHeader: 1)
        let row: [String: DescriptionValue] = [
            "worker": "uploads/2026", "processID": 4711, "incarnation": 3, "result": "restarted",
        ]
        DescriptionValue.encode(row, into: &writer)
        return writer.bytes
    }()

    private static let rows: [UInt8] = {
        var writer = CBORWriter()
        writer.append(arrayHeader: 1)
        DescriptionValue.encode(row, into: &writer)
        return writer.bytes
    }()
}
