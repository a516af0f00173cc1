extension RuntimeEvent {
    /// The kind of a runtime event: its case without the values.
    ///
    /// Printing a kind gives the name of the case, such as "workerStarted". The name never changes, so it can be the
    /// label of a metric.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// The kind of ``RuntimeEvent/workerStarted(_:)``.
        case workerStarted
        /// The kind of ``RuntimeEvent/workerServing(_:build:)``.
        case workerServing
        /// The kind of ``RuntimeEvent/workerUnresponsive(_:reason:)``.
        case workerUnresponsive
        /// The kind of ``RuntimeEvent/workerResponsive(_:)``.
        case workerResponsive
        /// The kind of ``RuntimeEvent/workerProblem(_:problem:)``.
        case workerProblem
        /// The kind of ``RuntimeEvent/workerKilled(_:_:)``.
        case workerKilled
        /// The kind of ``RuntimeEvent/workerTerminated(_:)``.
        case workerTerminated
        /// The kind of ``RuntimeEvent/workerStartFailed(_:incarnation:reason:)``.
        case workerStartFailed
        /// The kind of ``RuntimeEvent/workerLacksResources(_:attempt:delay:reason:)``.
        case workerLacksResources
        /// The kind of ``RuntimeEvent/workerGivenUp(_:_:isExpected:)``.
        case workerGivenUp
        /// The kind of ``RuntimeEvent/workerProbed(_:)``.
        case workerProbed
        /// The kind of ``RuntimeEvent/standbyEnded(_:cause:reason:delay:)``.
        case standbyEnded
        /// The kind of ``RuntimeEvent/workerOutput(_:_:)``.
        case workerOutput
        /// The kind of ``RuntimeEvent/workerOutputDropped(_:lines:linesPerSecond:)``.
        case workerOutputDropped
        /// The kind of ``RuntimeEvent/workerOutputFailed(_:reason:)``.
        case workerOutputFailed
        /// The kind of ``RuntimeEvent/workerCrashReported(_:title:report:)``.
        case workerCrashReported
        /// The kind of ``RuntimeEvent/groupRestarted(group:strategy:cause:)``.
        case groupRestarted
        /// The kind of ``RuntimeEvent/groupFailed(group:reason:restartDelay:)``.
        case groupFailed
        /// The kind of ``RuntimeEvent/groupDone(group:reason:)``.
        case groupDone
        /// The kind of ``RuntimeEvent/groupProbed(group:)``.
        case groupProbed
        /// The kind of ``RuntimeEvent/instanceOpened(_:)``.
        case instanceOpened
        /// The kind of ``RuntimeEvent/instanceClosed(_:)``.
        case instanceClosed
        /// The kind of ``RuntimeEvent/instanceRecovered(_:_:)``.
        case instanceRecovered
        /// The kind of ``RuntimeEvent/eventQuarantined(_:of:incarnations:cause:)``.
        case eventQuarantined
        /// The kind of ``RuntimeEvent/quarantineOverflowed(_:of:)``.
        case quarantineOverflowed
        /// The kind of ``RuntimeEvent/viewStateWithheld(_:reason:)``.
        case viewStateWithheld
        /// The kind of ``RuntimeEvent/stateObserverFailed(_:reason:delay:)``.
        case stateObserverFailed
        /// The kind of ``RuntimeEvent/clientJoined(_:)``.
        case clientJoined
        /// The kind of ``RuntimeEvent/clientLeft(_:)``.
        case clientLeft
        /// The kind of ``RuntimeEvent/connectionsRejected(_:count:isFirst:)``.
        case connectionsRejected
        /// The kind of ``RuntimeEvent/sessionOpened(_:)``.
        case sessionOpened
        /// The kind of ``RuntimeEvent/sessionEnded(_:problem:)``.
        case sessionEnded
        /// The kind of ``RuntimeEvent/socketChanged(path:_:)``.
        case socketChanged
        /// The kind of ``RuntimeEvent/processProblem(reason:)``.
        case processProblem
        /// The kind of ``RuntimeEvent/connectionLost(path:reason:)``.
        case connectionLost
        /// The kind of ``RuntimeEvent/connectionAttemptFailed(path:attempt:reason:)``.
        case connectionAttemptFailed
        /// The kind of ``RuntimeEvent/connectionRestored(path:)``.
        case connectionRestored
        /// The kind of ``RuntimeEvent/connectionGivenUp(path:reason:)``.
        case connectionGivenUp
        /// The kind of ``RuntimeEvent/operationBegan(_:)``.
        case operationBegan
        /// The kind of ``RuntimeEvent/operationEnded(_:result:isDone:)``.
        case operationEnded
        /// The kind of ``RuntimeEvent/settingsReloaded(_:)``.
        case settingsReloaded
        /// The kind of ``RuntimeEvent/settingsRefused(reason:)``.
        case settingsRefused
        /// The kind of ``RuntimeEvent/effectsLinger(_:effects:after:)``.
        case effectsLinger
        /// The kind of ``RuntimeEvent/callsHeld(reason:)``.
        case callsHeld
        /// The kind of ``RuntimeEvent/callStarted(_:)``.
        case callStarted
        /// The kind of ``RuntimeEvent/callEnded(_:outcome:after:)``.
        case callEnded
        /// The kind of ``RuntimeEvent/eventAccepted(_:)``.
        case eventAccepted
        /// The kind of ``RuntimeEvent/eventSent(_:)``.
        case eventSent
        /// The kind of ``RuntimeEvent/eventEnded(_:_:after:)``.
        case eventEnded
        /// The kind of ``RuntimeEvent/stateAccepted(_:_:)``.
        case stateAccepted
        /// The kind of ``RuntimeEvent/statePublished(_:_:)``.
        case statePublished
        /// The kind of ``RuntimeEvent/eventOrdered(_:order:cause:sender:)``.
        case eventOrdered

        package var mask: UInt64 { 1 << UInt64(rawValue) }
    }

    /// A set of kinds of runtime events.
    ///
    /// ```swift
    /// let kinds: RuntimeEvent.Kinds = .workers.union([.clientJoined, .clientLeft])
    /// ```
    public struct Kinds: Sendable, Hashable, ExpressibleByArrayLiteral {
        package let mask: UInt64

        init(mask: UInt64) {
            self.mask = mask
        }

        /// Creates a set from some kinds.
        public init(_ kinds: some Sequence<Kind>) {
            mask = kinds.reduce(0) { $0 | $1.mask }
        }

        /// Creates a set from the kinds of an array literal.
        public init(arrayLiteral kinds: Kind...) {
            self.init(kinds)
        }

        /// Returns whether the set contains a kind.
        public func contains(_ kind: Kind) -> Bool { mask & kind.mask != 0 }

        /// Returns the set with the kinds of another one.
        public func union(_ other: Kinds) -> Kinds { Kinds(mask: mask | other.mask) }

        /// Returns the set without the kinds of another one.
        public func subtracting(_ other: Kinds) -> Kinds { Kinds(mask: mask & ~other.mask) }

        /// The starts and ends of workers, and their problems.
        public static let workers: Kinds = [
            .workerStarted, .workerServing, .workerUnresponsive, .workerResponsive, .workerProblem, .workerKilled,
            .workerTerminated, .workerStartFailed, .workerLacksResources, .workerGivenUp, .workerProbed, .standbyEnded,
        ]
        /// The output of workers.
        public static let output: Kinds = [
            .workerOutput, .workerOutputDropped, .workerOutputFailed, .workerCrashReported,
        ]
        /// The restarts and ends of groups.
        public static let groups: Kinds = [.groupRestarted, .groupFailed, .groupDone, .groupProbed]
        /// The instances of features, without their events and states.
        public static let instances: Kinds = [
            .instanceOpened, .instanceClosed, .instanceRecovered, .eventQuarantined, .quarantineOverflowed,
            .viewStateWithheld, .stateObserverFailed, .effectsLinger,
        ]
        /// Clients, sessions and connections, and what keeps them away.
        public static let connections: Kinds = [
            .clientJoined, .clientLeft, .connectionsRejected, .sessionOpened, .sessionEnded, .socketChanged,
            .processProblem, .connectionLost, .connectionAttemptFailed, .connectionRestored, .connectionGivenUp,
            .operationBegan, .operationEnded, .settingsReloaded, .settingsRefused, .callsHeld,
        ]
        /// Each event that is accepted, sent or ended. There can be many thousands of them in a second.
        public static let events: Kinds = [.eventAccepted, .eventSent, .eventEnded]
        /// Each state that is accepted or published. There can be many thousands of them in a second.
        public static let states: Kinds = [.stateAccepted, .statePublished]
        /// Each call of an actor that runs in the process. There can be many thousands of them in a second.
        public static let calls: Kinds = [.callStarted, .callEnded]
        /// All kinds, including those of later versions.
        public static let all = Kinds(mask: .max)
        /// The kinds that the log contains. None of them is frequent, except the output of workers.
        package static let logged: Kinds = Kinds.all.subtracting(
            [
                .workerStarted, .workerUnresponsive, .workerResponsive, .instanceOpened, .instanceClosed,
                .clientJoined, .clientLeft, .eventOrdered,
            ] as Kinds
        ).subtracting(.events).subtracting(.states).subtracting(.calls)
    }

    /// The kind of this event.
    public var kind: Kind {
        switch self {
        case .workerStarted: .workerStarted
        case .workerServing: .workerServing
        case .workerUnresponsive: .workerUnresponsive
        case .workerResponsive: .workerResponsive
        case .workerProblem: .workerProblem
        case .workerKilled: .workerKilled
        case .workerTerminated: .workerTerminated
        case .workerStartFailed: .workerStartFailed
        case .workerLacksResources: .workerLacksResources
        case .workerGivenUp: .workerGivenUp
        case .workerProbed: .workerProbed
        case .standbyEnded: .standbyEnded
        case .workerOutput: .workerOutput
        case .workerOutputDropped: .workerOutputDropped
        case .workerOutputFailed: .workerOutputFailed
        case .workerCrashReported: .workerCrashReported
        case .groupRestarted: .groupRestarted
        case .groupFailed: .groupFailed
        case .groupDone: .groupDone
        case .groupProbed: .groupProbed
        case .instanceOpened: .instanceOpened
        case .instanceClosed: .instanceClosed
        case .instanceRecovered: .instanceRecovered
        case .eventQuarantined: .eventQuarantined
        case .quarantineOverflowed: .quarantineOverflowed
        case .viewStateWithheld: .viewStateWithheld
        case .stateObserverFailed: .stateObserverFailed
        case .clientJoined: .clientJoined
        case .clientLeft: .clientLeft
        case .connectionsRejected: .connectionsRejected
        case .sessionOpened: .sessionOpened
        case .sessionEnded: .sessionEnded
        case .socketChanged: .socketChanged
        case .processProblem: .processProblem
        case .connectionLost: .connectionLost
        case .connectionAttemptFailed: .connectionAttemptFailed
        case .connectionRestored: .connectionRestored
        case .connectionGivenUp: .connectionGivenUp
        case .operationBegan: .operationBegan
        case .operationEnded: .operationEnded
        case .settingsReloaded: .settingsReloaded
        case .settingsRefused: .settingsRefused
        case .effectsLinger: .effectsLinger
        case .callsHeld: .callsHeld
        case .callStarted: .callStarted
        case .callEnded: .callEnded
        case .eventAccepted: .eventAccepted
        case .eventSent: .eventSent
        case .eventOrdered: .eventOrdered
        case .eventEnded: .eventEnded
        case .stateAccepted: .stateAccepted
        case .statePublished: .statePublished
        }
    }
}
