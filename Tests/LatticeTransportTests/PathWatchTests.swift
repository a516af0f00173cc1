import Testing

@testable import LatticeTransport

/// Tests the state of a listener's path after each check.
@Suite struct PathWatchTests {
    /// The result of one check.
    enum Look: Sendable {
        case held(missing: SocketParts)
        case failed(missing: SocketParts, TransportError)
    }

    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let looks: [(look: Look, event: PathEvent?)]
        /// Seconds until the next look.
        var pause: Int64 = 1
    }

    static let inUse = TransportError(code: .addressInUse, message: "in use")
    static let unsafe = TransportError(code: .unsafePath, message: "unsafe")
    static let both: SocketParts = [.socket, .lock]

    static let stories = [
        Story(testDescription: "nothing happens", looks: [(.held(missing: []), nil), (.held(missing: []), nil)]),
        Story(
            testDescription: "each file that is created again is reported",
            looks: [
                (.held(missing: .socket), .restored(.socket)), (.held(missing: .lock), .restored(.lock)),
                (.held(missing: []), nil), (.held(missing: both), .restored(both)),
            ]
        ),
        Story(
            testDescription: "another listener serves, is reported once, and is checked rarely",
            looks: [
                (.failed(missing: both, inUse), .lost(inUse)), (.failed(missing: both, inUse), nil),
                (.failed(missing: .socket, inUse), nil),
            ],
            pause: 10
        ),
        Story(
            testDescription: "the other listener ends",
            looks: [
                (.failed(missing: both, inUse), .lost(inUse)), (.held(missing: both), .regained),
                (.held(missing: []), nil), (.failed(missing: .socket, inUse), .lost(inUse)),
                (.held(missing: []), .regained),
            ]
        ),
        Story(
            testDescription: "something is in the way, then something else",
            looks: [
                (.failed(missing: .socket, unsafe), .lost(unsafe)), (.failed(missing: .socket, unsafe), nil),
                (.failed(missing: .socket, inUse), .lost(inUse)), (.failed(missing: .socket, unsafe), .lost(unsafe)),
            ]
        ),
        Story(
            testDescription: "a newcomer has the lock until it finds that the socket is served",
            looks: [(.failed(missing: .lock, inUse), nil), (.held(missing: .lock), .restored(.lock))]
        ),
        Story(
            testDescription: "another process keeps the lock",
            looks: [
                (.failed(missing: .lock, inUse), nil), (.failed(missing: .lock, inUse), .lost(inUse)),
                (.failed(missing: .lock, inUse), nil),
            ],
            pause: 10
        ),
        Story(
            testDescription: "a newcomer has the lock, and then the path",
            looks: [(.failed(missing: .lock, inUse), nil), (.failed(missing: both, inUse), .lost(inUse))],
            pause: 10
        ),
        Story(
            testDescription: "the lock cannot be created again",
            looks: [(.failed(missing: .lock, unsafe), .lost(unsafe)), (.held(missing: .lock), .regained)]
        ),
    ]

    @Test(
        "A path is taken again only if it is not used by another program, and each change is reported once (F75)",
        arguments: stories
    )
    func tells(story: Story) {
        var watch = PathWatch()
        for (number, step) in story.looks.enumerated() {
            let event =
                switch step.look {
                case .held(let missing): watch.held(missing: missing)
                case .failed(let missing, let error): watch.failed(missing: missing, error)
                }
            #expect(event == step.event, "look \(number + 1)")
        }
        #expect(watch.pause == .seconds(story.pause))
    }
}
