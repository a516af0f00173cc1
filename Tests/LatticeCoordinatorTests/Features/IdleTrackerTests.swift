import Testing

@testable import LatticeCoordinator

/// When an instance counts as idle.
struct IdleTrackerTests {
    private static let limit = Duration.seconds(60)
    private static let start = ContinuousClock.now

    /// An event in the life of an instance, with its time in seconds.
    private enum Step {
        case begins
        case ends(at: Int, looks: Bool)
        case isKept
        case look(at: Int, isBusy: Bool = false, IdleTracker.Result)
    }

    private static let table: [(name: String, steps: [Step])] = [
        (
            "it is idle after it was unused for the limit",
            [
                .begins, .ends(at: 0, looks: true), .look(at: 59, .again(after: .seconds(1))), .look(at: 60, .idle),
            ]
        ),
        (
            "of several users the last one counts",
            [
                .begins, .begins, .ends(at: 0, looks: false), .ends(at: 10, looks: true),
                .look(at: 60, .again(after: .seconds(10))), .look(at: 70, .idle),
            ]
        ),
        (
            "a new use ends the checks, and the time starts again",
            [
                .begins, .ends(at: 0, looks: true), .begins, .look(at: 60, .inUse), .ends(at: 90, looks: true),
                .look(at: 150, .idle),
            ]
        ),
        (
            "who has come and gone between two looks needs no more of them",
            [
                .begins, .ends(at: 0, looks: true), .begins, .ends(at: 30, looks: false),
                .look(at: 60, .again(after: .seconds(30))), .look(at: 90, .idle),
            ]
        ),
        (
            "while events run it is not idle, and the time begins when a look finds none",
            [
                .begins, .ends(at: 0, looks: true), .look(at: 60, isBusy: true, .again(after: .seconds(60))),
                .look(at: 119, .again(after: .seconds(1))), .look(at: 120, .idle),
            ]
        ),
        ("what the program keeps is never idle", [.begins, .isKept, .ends(at: 0, looks: false)]),
        (
            "nor what it keeps later",
            [.begins, .ends(at: 0, looks: true), .isKept, .look(at: 60, .inUse)]
        ),
    ]

    @Test(arguments: table.indices)
    func idleness(row: Int) {
        var use = IdleTracker()
        for step in Self.table[row].steps {
            switch step {
            case .begins: use.begin()
            case .ends(let second, let looks):
                let answer = use.end(at: Self.start + .seconds(second))
                #expect(answer == looks, "\(Self.table[row].name)")
            case .isKept: use.keep()
            case .look(let second, let isBusy, let look):
                let answer = use.check(at: Self.start + .seconds(second), isBusy: isBusy, timeout: Self.limit)
                #expect(answer == look, "\(Self.table[row].name), second \(second)")
            }
        }
    }
}
