import Testing

@testable import LatticeWire

/// Samples of every message, and of every boundary of its fields.
enum MessageSamples {
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let body: any WireMessageBody

        init(_ name: String, _ body: any WireMessageBody) {
            self.name = name
            self.body = body
        }

        var kind: MessageKind { type(of: body).kind }
        var testDescription: String { name }
    }

    static let all: [Sample] = session + handshake + channel + traffic + calls

    static let tally = FeatureAdvertisement(identifier: "tally", schema: 1, level: .domain)

    static let handshake: [Sample] = [
        Sample(
            "hello of a worker",
            Hello(
                versions: 1...1,
                role: .worker,
                incarnation: 3,
                token: [UInt8](repeating: 0xab, count: 32),
                processID: 4_711,
                features: [tally],
                build: [UInt8](0xa0..<0xb4)
            )
        ),
        Sample(
            "hello of a worker that does not say its build",
            Hello(versions: 1...1, role: .worker, incarnation: 1, token: [1], processID: 2, features: [tally])
        ),
        Sample(
            "hello of a client",
            Hello(
                versions: 1...2,
                role: .client,
                incarnation: 0,
                identity: [UInt8](0..<16),
                processID: 99,
                features: []
            )
        ),
        Sample(
            "hello, boundaries",
            Hello(
                versions: 0...UInt16.max,
                role: .tool,
                incarnation: .max,
                token: [UInt8](repeating: 0, count: 64),
                identity: [UInt8](repeating: 0xff, count: 16),
                processID: .max,
                features: [
                    FeatureAdvertisement(identifier: "ü", schema: 0, level: .view),
                    FeatureAdvertisement(
                        identifier: String(repeating: "x", count: 255),
                        schema: .max,
                        level: .domain
                    ),
                ],
                build: [UInt8](repeating: 0xff, count: 64),
                node: [UInt8](repeating: 0xff, count: 16)
            )
        ),
        Sample(
            "welcome",
            Welcome(
                version: 1,
                role: .coordinator,
                coordinatorID: 1_763_780_400_000_000_000,
                processID: 17,
                features: [tally],
                storeID: [UInt8](0x10..<0x20),
                node: [UInt8](0x20..<0x30)
            )
        ),
        Sample("refuse", Refuse(code: .version, reason: "Update the client.", versions: 2...3)),
        Sample(
            "hello, a role of later",
            Hello(versions: 1...1, role: Role(rawValue: 255), incarnation: 0, processID: 1, features: [])
        ),
        Sample("refuse, a code of later", Refuse(code: RefusalCode(rawValue: 900), reason: "", versions: 1...1)),
    ]

    static let session: [Sample] =
        [
            Sample("goodbye", Goodbye(code: .normal, reason: "Done.")),
            Sample("goodbye, violation", Goodbye(code: .violation, reason: "Kind 99 is not known.")),
            Sample("ping", Ping(number: 0)),
            Sample("ping, boundary", Ping(number: .max)),
            Sample("pong", Pong(number: 23)),
            Sample("pong, two bytes", Pong(number: 24)),
            Sample("pong, unasked", Pong(number: Pong.unasked)),
            Sample("pong, with a problem", Pong(number: 1, problem: "effects wait for a thread")),
            Sample("drain", Drain(timeoutMilliseconds: 5_000)),
            Sample("drain, boundary", Drain(timeoutMilliseconds: .max)),
            Sample("drained", Drained()),
        ] + describing

    static let channel: [Sample] = [
        Sample("open without a state", Open(feature: "tally", schema: 1)),
        Sample(
            "open with a state",
            Open(
                feature: "tally",
                schema: 1,
                instance: "42",
                state: [0xa0],
                revision: 256,
                resumeAfter: 65_536
            )
        ),
        Sample(
            "open with a record",
            Open(feature: "tally", schema: 1, instance: "42", revision: 7, resumeAfter: 3, record: .max)
        ),
        Sample("open with an empty state", Open(feature: "t", schema: .max, state: [])),
        Sample("open with a limit", Open(feature: "tally", schema: 1, maximumState: 1_000)),
        Sample("open that takes patches", Open(feature: "tally", schema: 1, takesPatches: true)),
        Sample(
            "open with a record and a revision that patches may begin from",
            Open(feature: "tally", schema: 1, revision: 41, record: 7, maximumState: 1_000, takesPatches: true)
        ),
        Sample("open that takes patches of a later form", laterPatches),
        Sample("open that asks for causes", Open(feature: "tally", schema: 1, takesPatches: true, wantsCauses: true)),
        Sample(
            "open with a configuration",
            Open(
                feature: "tally",
                schema: 1,
                instance: "42",
                state: [0xa0],
                revision: 1,
                configuration: [0xa1, 0x61, 0x76, 0x01]
            )
        ),
        Sample("opened", Opened(revision: 1, applied: 0, state: [0xa0])),
        Sample("opened with the state that the opener has", Opened(revision: 41, applied: 9, state: [], record: 7)),
        Sample("opened with a record", Opened(revision: 1, applied: 0, state: [0xa0], record: 4_711)),
        Sample("openRefused", OpenRefused(code: .schema, reason: "The worker has schema 2.")),
        Sample("close", Close()),
        Sample("closed", Closed(code: .requested, reason: "")),
        Sample("hostStatus, connecting", HostStatusMessage(kind: .connecting)),
        Sample("hostStatus, serving", HostStatusMessage(kind: .serving, incarnation: 1, processID: 4_711)),
        Sample(
            "hostStatus, restarting",
            HostStatusMessage(
                kind: .restarting,
                incarnation: 2,
                attempt: 1,
                delayMilliseconds: 100,
                cause: .signal(9),
                reason: "The worker was killed.",
                history: ["incarnation 1: signal 9"]
            )
        ),
        Sample(
            "hostStatus, failed",
            HostStatusMessage(
                kind: .failed,
                incarnation: .max,
                processID: .max,
                attempt: .max,
                delayMilliseconds: .max,
                cause: .exit(-1),
                reason: "The budget is spent.",
                history: (1...16).map { "incarnation \($0): exit 1" },
                result: "start-limit-hit"
            )
        ),
        Sample(
            "hostStatus, no room for a worker",
            HostStatusMessage(
                kind: .restarting,
                attempt: 3,
                delayMilliseconds: 400,
                cause: .lackOfResources("Too many open files.")
            )
        ),
        Sample(
            "hostStatus, ended with its group",
            HostStatusMessage(kind: .restarting, attempt: 1, cause: .group("pipeline"))
        ),
        Sample(
            "hostStatus, unresponsive",
            HostStatusMessage(
                kind: .unresponsive,
                incarnation: 3,
                processID: 4_711,
                reason: "a turn takes long, so far 5.0 seconds"
            )
        ),
        Sample("hostStatus, a kind of later", HostStatusMessage(kind: .init(rawValue: 99), reason: "It moves house.")),
        Sample("hostStatus, draining", HostStatusMessage(kind: .draining, cause: .limit("memory"))),
    ]

    private static let laterPatches: Open = {
        var open = Open(feature: "tally", schema: 1)
        open.patches = .max
        return open
    }()

    static let traffic: [Sample] = [
        Sample("event", EventMessage(event: 1, action: [0xa1, 0x63, 0x61, 0x64, 0x64, 0x05])),
        Sample("event with the highest number", EventMessage(event: MessageLimits.maximumGrowing, action: [])),
        Sample("event, 23 bytes", EventMessage(event: 2, action: [UInt8](repeating: 1, count: 23))),
        Sample("event, 24 bytes", EventMessage(event: 2, action: [UInt8](repeating: 1, count: 24))),
        Sample("event, 255 bytes", EventMessage(event: 2, action: [UInt8](repeating: 1, count: 255))),
        Sample("event, 256 bytes", EventMessage(event: 2, action: [UInt8](repeating: 1, count: 256))),
        Sample(
            "event of another sender",
            EventMessage(event: 40, action: [0xa0], origin: EventMessage.Origin(index: 0, number: 1))
        ),
        Sample(
            "event of another sender, boundaries",
            EventMessage(
                event: MessageLimits.maximumGrowing,
                action: [],
                origin: EventMessage.Origin(index: 1_023, number: MessageLimits.maximumGrowing)
            )
        ),
        Sample(
            "event with a deadline",
            EventMessage(event: 3, action: [0xa0], context: TravelContext(leftMilliseconds: 1500))
        ),
        Sample(
            "event of another sender whose deadline has passed",
            EventMessage(
                event: 41,
                action: [0xa0],
                origin: .init(index: 1, number: 2),
                context: TravelContext(leftMilliseconds: 0)
            )
        ),
        Sample(
            "event in a trace",
            EventMessage(event: 5, action: [0xa0], context: TravelContext(leftMilliseconds: 20, trace: ["k=v"]))
        ),
        Sample(
            "event with the latest deadline",
            EventMessage(event: 4, action: [], context: TravelContext(leftMilliseconds: .max))
        ),
        Sample(
            "event that another event caused",
            EventMessage(
                event: 6,
                action: [0xa0],
                context: TravelContext(
                    event: WireEventName(
                        sender: [UInt8](repeating: 0x22, count: 16),
                        channel: 1,
                        feature: "tally",
                        instance: "",
                        number: 9
                    )
                )
            )
        ),
        Sample(
            "event with which a feature recovers",
            EventMessage(event: 7, action: [0xa0], context: TravelContext(recovery: 2))
        ),
        Sample(
            "event of another sender that another event caused",
            EventMessage(
                event: 42,
                action: [0xa0],
                origin: EventMessage.Origin(index: 1, number: 3),
                context: TravelContext(
                    leftMilliseconds: 20,
                    event: WireEventName(
                        sender: [UInt8](repeating: 0x22, count: 16),
                        channel: 1,
                        feature: "tally",
                        instance: "",
                        number: 9
                    )
                )
            )
        ),
        Sample(
            "origin of a known process",
            OriginMessage(
                index: 1,
                sender: [UInt8](0..<16),
                channel: 1,
                processID: 712,
                userID: 1_000,
                program: "/usr/bin/notes"
            )
        ),
        Sample(
            "origin of a known user",
            OriginMessage(index: 2, sender: [UInt8](0..<16), channel: 3, userID: .max)
        ),
        Sample("origin", OriginMessage(index: 0, sender: [UInt8](0..<16), channel: 1)),
        Sample(
            "origin, boundaries",
            OriginMessage(index: 1_023, sender: [UInt8](repeating: 0xff, count: 16), channel: .max)
        ),
        Sample(
            "state with the highest numbers",
            StateMessage(
                revision: MessageLimits.maximumGrowing,
                applied: MessageLimits.maximumGrowing,
                state: [0xa0]
            )
        ),
        Sample("state", StateMessage(revision: 7, applied: 3, state: [0x18, 0x2a])),
        Sample("patch", PatchMessage(base: 6, revision: 7, applied: 3, changes: [0x82, 0x00, 0x18, 0x2a])),
        Sample(
            "patch of an entry that goes, from 0 on",
            PatchMessage(base: 0, revision: 24, applied: 0, changes: [0x82, 0x01, 0xa1, 0x61, 0x61, 0xf6])
        ),
        Sample(
            "patch with the highest numbers",
            PatchMessage(
                base: MessageLimits.maximumGrowing - 1,
                revision: MessageLimits.maximumGrowing,
                applied: MessageLimits.maximumGrowing,
                changes: [0x82, 0x00, 0xa0]
            )
        ),
        Sample("completion, finished", CompletionMessage(event: 1, revision: 7, outcome: .finished)),
        Sample("completion, several", CompletionMessage(event: 1, through: 300, revision: 7, outcome: .finished)),
        Sample(
            "completion, failed",
            CompletionMessage(event: 2, revision: 7, outcome: .failed(type: "IOError", message: "No such file."))
        ),
        Sample("completion, cancelled", CompletionMessage(event: 3, revision: 7, outcome: .cancelled)),
        Sample(
            "completion, cancelled by the sender",
            CompletionMessage(
                event: 3,
                revision: 7,
                outcome: .cancelled(WireCancellation(by: .sender, stage: .whileRunning, reason: "Too slow."))
            )
        ),
        Sample(
            "completion, cancelled by a later canceller",
            CompletionMessage(
                event: 3,
                revision: 7,
                outcome: .cancelled(
                    WireCancellation(by: .other(number: 77, sentence: "By the moon."), stage: .beforeStart)
                )
            )
        ),
        Sample(
            "completion, rejected",
            CompletionMessage(event: 4, revision: 0, outcome: .rejected(code: .overloaded, reason: "Queue full."))
        ),
        Sample(
            "completion, declined",
            CompletionMessage(event: 4, revision: 0, outcome: .rejected(code: .declined, reason: "The seat is taken."))
        ),
        Sample(
            "completion, declined with a value",
            CompletionMessage(
                event: 4,
                revision: 0,
                outcome: .rejected(
                    code: .declined,
                    reason: "The seat is taken.",
                    value: [0xa1, 0x61, 0x6e, 0x18, 0x2a]
                )
            )
        ),
        Sample("completion, exit", interrupted(.exit(139))),
        Sample("completion, exit below zero", interrupted(.exit(.min))),
        Sample("completion, signal", interrupted(.signal(9))),
        Sample("completion, hang", interrupted(.hang)),
        Sample("completion, limit", interrupted(.limit("memory"))),
        Sample("completion, disconnected", interrupted(.disconnected)),
        Sample("completion, exit status lost", interrupted(.statusLost("It was ignored"))),
        Sample("completion, requested", interrupted(.requested("process 4711 (latticectl)"))),
        Sample("completion, a cause of later", interrupted(.other(number: 900, sentence: "Evicted."))),
        Sample(
            "completion, an outcome of later",
            CompletionMessage(event: 6, revision: 7, outcome: .other(number: 99, sentence: "Postponed."))
        ),
        Sample(
            "completion, a rejection of later",
            CompletionMessage(
                event: 7,
                revision: 7,
                outcome: .rejected(code: RejectionCode(rawValue: 200), reason: "Full.")
            )
        ),
        Sample(
            "completion, unknown",
            CompletionMessage(event: 5, revision: 7, outcome: .unknown(reason: "It ended too long ago."))
        ),
        Sample("acknowledgement", AcknowledgementMessage(applied: 12, revision: 7)),
        Sample("cancel", CancelMessage(event: 12)),
        Sample(
            "cancel, of a tool",
            CancelMessage(event: 12, WireCancellation(by: .tool("process 9 (latticectl)"), reason: "Too slow."))
        ),
        Sample("cancel, at a deadline", CancelMessage(event: 12, WireCancellation(by: .deadline))),
        Sample("resync", ResyncMessage(revision: 7)),
        Sample("resync, boundary", ResyncMessage(revision: MessageLimits.maximumGrowing)),
        Sample(
            "effects",
            EffectsMessage(
                revision: 7,
                applied: 12,
                begun: [
                    EffectsMessage.Effect(number: 3, event: 12, name: "Fotos/1.jpg", recoveries: 2),
                    EffectsMessage.Effect(number: 4, event: 0, name: "watch", recoveries: 0),
                ],
                ended: [1, 2]
            )
        ),
        Sample("effects, nothing", EffectsMessage(revision: 0, applied: 0, begun: [], ended: [])),
        Sample("effects, boundaries", boundaryEffects),
        Sample("crashReport", crashReport),
        Sample("crashReport, nothing known", unknownCrash),
        Sample("crashReport, boundaries", boundaryCrash),
        Sample(
            "causes",
            CausesMessage(
                revision: 9,
                events: [
                    CausesMessage.Event(id: "tally/a0a1a2a3a4a5a6a7a8a9aaabacadaeaf/3/17", order: 21, cause: "sent"),
                    CausesMessage.Event(
                        id: "tally/b0b1b2b3b4b5b6b7b8b9babbbcbdbebf/1/4",
                        order: 22,
                        cause: "recovery 2"
                    ),
                ],
                omitted: 3
            )
        ),
        Sample("causes, effects alone", CausesMessage(revision: 9, events: [])),
        Sample(
            "causes, boundaries",
            CausesMessage(
                revision: MessageLimits.maximumGrowing,
                events: [CausesMessage.Event(id: "", order: MessageLimits.maximumGrowing, cause: "")],
                omitted: MessageLimits.maximumGrowing
            )
        ),
        Sample("open with a state in parts", openInParts),
        Sample("opened with a state in parts", Opened(revision: 7, applied: 3, state: [1, 2, 3], record: 9).inParts),
        Sample("state in parts", StateMessage(revision: 7, applied: 3, state: [], length: 70_000_000)),
        Sample(
            "state in parts, boundary",
            StateMessage(revision: 7, applied: 3, state: [], length: MessageLimits.maximumGrowing)
        ),
        Sample("patch in parts", PatchMessage(base: 6, revision: 7, applied: 3, changes: [], length: 1)),
        Sample("part", PartMessage(bytes: [0xa1, 0x01])),
        Sample("credit", CreditMessage(bytes: 69_934_464)),
        Sample("credit, boundaries", CreditMessage(bytes: MessageLimits.maximumGrowing)),
    ]

    private static let boundaryEffects = EffectsMessage(
        revision: MessageLimits.maximumGrowing,
        applied: MessageLimits.maximumGrowing,
        begun: [
            EffectsMessage.Effect(
                number: MessageLimits.maximumGrowing,
                event: MessageLimits.maximumGrowing,
                name: String(repeating: "n", count: 255),
                recoveries: 1000
            )
        ],
        ended: [MessageLimits.maximumGrowing]
    )

    private static let crashReport: CrashReportMessage = {
        func event(_ number: UInt64, instance: String = "42") -> WireEventName {
            WireEventName(
                sender: (0xa0...0xaf).map { $0 },
                channel: 3,
                feature: "tally",
                instance: instance,
                number: number
            )
        }
        var report = CrashReportMessage()
        report.incarnation = 2
        report.group = "uploads"
        report.processID = 4711
        report.lifetimeMilliseconds = 1250
        report.output = ["Fatal error: Index out of range: file Tally/Count.swift, line 12"]
        report.turn = event(17)
        report.events = [event(17), event(18, instance: "")]
        report.effects = ["Fotos/1.jpg"]
        report.quarantined = 5
        return report
    }()

    private static let unknownCrash: CrashReportMessage = {
        var report = CrashReportMessage()
        report.incarnation = 1
        return report
    }()

    private static let boundaryCrash: CrashReportMessage = {
        var report = CrashReportMessage()
        report.incarnation = .max
        report.group = String(repeating: "g", count: 64)
        report.processID = .max
        report.lifetimeMilliseconds = .max
        report.output = [String(repeating: "l", count: 1024)]
        report.turn = WireEventName(
            sender: (0xa0...0xaf).map { $0 },
            channel: .max,
            feature: String(repeating: "f", count: 255),
            instance: String(repeating: "i", count: 255),
            number: MessageLimits.maximumGrowing
        )
        report.effects = [String(repeating: "e", count: 255)]
        report.quarantined = MessageLimits.maximumGrowing
        return report
    }()

    private static let openInParts = Open(
        feature: "tally",
        schema: 1,
        state: [UInt8](repeating: 0, count: 300),
        revision: 7
    ).inParts

    private static func interrupted(_ cause: WireCause) -> CompletionMessage {
        CompletionMessage(event: 5, revision: 7, outcome: .interrupted(cause: cause, incarnation: 2))
    }
}

/// Any message that version 1 sends, of whichever kind: there is a sample of each.
enum WireMessage {
    static func decode(
        _ kind: MessageKind,
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> any WireMessageBody {
        guard let sample = MessageSamples.all.first(where: { $0.kind == kind }) else {
            throw .unknownKind(kind.rawValue)
        }
        return try type(of: sample.body).init(decoding: bytes)
    }
}
