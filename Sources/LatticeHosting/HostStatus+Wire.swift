package import LatticeCore
import LatticeSession
package import LatticeWire

extension HostStatus {
    /// Creates the status that a message contains.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - coordinator: The ID of the coordinator that sent the message, or nil if its sender is not a coordinator.
    package init(_ message: HostStatusMessage, from coordinator: UInt64?) {
        switch message.kind {
        case .connecting: self = .connecting
        case .serving:
            self = .serving(
                Serving(
                    incarnation: message.incarnation,
                    processID: Int32(truncatingIfNeeded: message.processID),
                    coordinator: coordinator,
                    problem: message.reason.isEmpty ? nil : message.reason
                )
            )
        case .restarting:
            self = .restarting(
                Restart(
                    attempt: Int(message.attempt),
                    delay: .milliseconds(message.delayMilliseconds),
                    cause: message.cause.map(Interruption.Cause.init) ?? .disconnected
                )
            )
        case .unresponsive:
            self = .unresponsive(
                Unresponsive(
                    incarnation: message.incarnation,
                    processID: Int32(truncatingIfNeeded: message.processID),
                    reason: message.reason
                )
            )
        case .draining: self = .draining
        case .failed:
            self = .failed(
                HostFailure(
                    reason: message.reason,
                    history: message.history,
                    result: message.result.map(ServiceResult.init(rawValue:))
                )
            )
        default: self = .other(Other(number: Int(message.kind.rawValue), sentence: message.reason))
        }
    }
}

extension HostStatusMessage {
    /// Creates the message for a status. `local` is sent as `connecting`, because it has no form on the wire.
    package init(_ status: HostStatus) {
        self.init(kind: .connecting)
        switch status {
        case .local, .connecting: break
        case .serving(let serving):
            kind = .serving
            incarnation = serving.incarnation
            processID = UInt32(bitPattern: serving.processID)
            reason = serving.problem ?? ""
        case .unresponsive(let worker):
            kind = .unresponsive
            incarnation = worker.incarnation
            processID = UInt32(bitPattern: worker.processID)
            reason = worker.reason
        case .restarting(let restart):
            kind = .restarting
            attempt = UInt32(clamping: restart.attempt)
            delayMilliseconds = UInt64(clamping: restart.delay.milliseconds)
            cause = WireCause(restart.cause)
        case .draining: kind = .draining
        case .failed(let failure):
            kind = .failed
            reason = failure.reason
            history = failure.history.suffix(MessageLimits.maximumHistory)
            result = failure.result?.rawValue
        case .other(let other):
            kind = Kind(rawValue: UInt8(clamping: other.number))
            reason = other.sentence
        }
    }
}
