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
            "describe, a subscription",
            DescribeMessage(
                request: 5,
                section: "instances",
                sortKey: "waiting",
                limit: 500,
                intervalMilliseconds: 1000,
                bytesPerSecond: 65_536,
                queueBytes: 0
            )
        ),
        Sample("describe, the end of a subscription", DescribeMessage(request: 5, intervalMilliseconds: 0)),
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
                after: MessageLimits.maximumGrowing,
                intervalMilliseconds: .max,
                bytesPerSecond: .max,
                queueBytes: .max
            )
        ),
        Sample("description, all rows", DescriptionMessage(request: 1, total: 1, shown: 1, rows: rows)),
        Sample("description, cut", DescriptionMessage(request: 2, total: 900, shown: 1, rows: rows, cut: .size)),
        Sample("description, no rows", DescriptionMessage(request: 3, total: 0, shown: 0, rows: [0x80])),
        Sample(
            "description, an error",
            DescriptionMessage(request: 4, .unknownSection, reason: "There is no section \"nothing\".")
        ),
        Sample("description, the first one of a subscription", subscribed(total: 1, rows: rows, update: 1)),
        Sample("description, a change", change),
        Sample("description, nothing has changed", subscribed(total: 4, rows: [0x80], update: 3, places: [0..<4])),
        Sample(
            "description, the end of a subscription",
            DescriptionMessage(request: 5, .ended, reason: "The tool has ended the subscription.")
        ),
        Sample("description, boundary", largest),
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

    /// Returns a description of a subscription.
    ///
    /// - Parameter places: The places of rows that are kept, or nil for the first description.
    private static func subscribed(
        total: UInt64,
        rows: [UInt8],
        update: UInt64,
        places: [Range<Int>]? = nil
    ) -> DescriptionMessage {
        let shown: UInt64 = rows == [0x80] ? 0 : 1
        var message = DescriptionMessage(request: 5, total: total, shown: shown, rows: rows)
        message.update = update
        if let places {
            var all = RowPlaces()
            for place in places.joined() { all.keep(place) }
            message.places = all.bytes
        } else {
            message.keys = ["feature", "instance"]
        }
        return message
    }

    private static var change: DescriptionMessage {
        var places = RowPlaces()
        places.keep(2)
        places.send()
        places.keep(0)
        places.keep(1)
        var message = DescriptionMessage(request: 5, total: 4, shown: 1, rows: rows, cut: .limit)
        message.update = 2
        message.places = places.bytes
        message.folded = 9
        return message
    }

    private static var largest: DescriptionMessage {
        var message = DescriptionMessage(
            request: MessageLimits.maximumGrowing,
            total: MessageLimits.maximumGrowing,
            shown: 0,
            rows: [],
            cut: DescriptionCut(rawValue: .max)
        )
        message.code = DescriptionCode(rawValue: .max)
        message.update = MessageLimits.maximumGrowing
        message.places = [0x80]
        message.folded = MessageLimits.maximumGrowing
        message.keys = Array(repeating: String(repeating: "k", count: 64), count: 8)
        return message
    }

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
