package import LatticeCore
package import LatticeSession
package import LatticeWire

extension EventOutcome {
    /// Creates the outcome that a message contains.
    ///
    /// - Parameters:
    ///   - wire: The outcome from the message.
    ///   - report: Details of the worker termination that caused the outcome, or nil if there are none.
    package init(_ wire: WireOutcome, report: TerminationReport? = nil) {
        switch wire {
        case .finished: self = .finished
        case .failed(let type, let message): self = .failed(EffectFailure(type: type, message: message))
        case .cancelled(let cancellation): self = .cancelled(Cancellation(cancellation))
        case .rejected(let code, let reason, let value):
            let code = EventRejection.Code(rawValue: code.rawValue)
            self = .rejected(
                EventRejection(code: code, reason: reason, report: report?.crash, encodedValue: value)
            )
        case .interrupted(let cause, let incarnation):
            let cause = Interruption.Cause(cause)
            self = .interrupted(Interruption(cause: cause, incarnation: incarnation, report: report?.crash))
        case .unknown(let reason): self = .unknown(UnknownOutcome(reason: reason))
        case .other(let number, let sentence):
            let known = sentence.isEmpty ? "." : ": \(sentence)"
            self = .unknown(
                UnknownOutcome(reason: "Only a later version knows how the event ended (outcome \(number))\(known)")
            )
        }
    }
}

extension TerminationReport {
    /// The crash report, if the supervisor of a worker created the details. Otherwise nil.
    package var crash: CrashReport? { value as? CrashReport }
}

extension WireOutcome {
    /// Creates the form of an outcome for a message.
    package init(_ outcome: EventOutcome) {
        switch outcome {
        case .finished: self = .finished
        case .failed(let failure): self = .failed(type: failure.type, message: failure.message)
        case .cancelled(let cancellation): self = .cancelled(WireCancellation(cancellation))
        case .rejected(let rejection):
            self = .rejected(
                code: RejectionCode(rawValue: rejection.code.rawValue),
                reason: rejection.reason,
                value: rejection.encodedValue
            )
        case .interrupted(let interruption):
            self = .interrupted(cause: WireCause(interruption.cause), incarnation: interruption.incarnation)
        case .unknown(let unknown): self = .unknown(reason: unknown.reason)
        }
    }
}

extension Interruption {
    /// Creates the interruption that a channel delivered.
    package init(_ interrupted: ChannelUpdate.Interrupted) {
        self.init(
            cause: Cause(interrupted.cause),
            incarnation: interrupted.incarnation,
            effects: interrupted.effects.sorted { $0.name < $1.name }.map {
                InterruptedEffect(name: $0.name, deaths: $0.deaths)
            },
            report: interrupted.report?.crash
        )
    }
}

extension Interruption.Cause {
    /// Creates the cause that a message contains.
    package init(_ wire: WireCause) {
        switch wire {
        case .exit(let code): self = .exit(code: code)
        case .signal(let number): self = .signal(number)
        case .hang: self = .hang
        case .limit(let name): self = .limit(name)
        case .disconnected: self = .disconnected
        case .lackOfResources(let reason): self = .lackOfResources(reason)
        case .group(let name): self = .group(name)
        case .statusLost(let reason): self = .statusLost(reason)
        case .requested(let requester): self = .requested(by: requester)
        case .other(let number, let sentence): self = .other(number: number, sentence: sentence)
        }
    }
}

extension WireCause {
    /// Creates the form of a cause for a message.
    package init(_ cause: Interruption.Cause) {
        switch cause {
        case .exit(let code): self = .exit(code)
        case .signal(let number): self = .signal(number)
        case .hang: self = .hang
        case .limit(let name): self = .limit(name)
        case .disconnected: self = .disconnected
        case .lackOfResources(let reason): self = .lackOfResources(reason)
        case .group(let name): self = .group(name)
        case .statusLost(let reason): self = .statusLost(reason)
        case .requested(let requester): self = .requested(requester)
        case .other(let number, let sentence): self = .other(number: number, sentence: sentence)
        }
    }
}
