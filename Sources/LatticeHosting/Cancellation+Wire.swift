package import LatticeCore
package import LatticeWire

extension Cancellation {
    /// Creates the cancellation that a message contains.
    package init(_ wire: WireCancellation) {
        let canceller: Canceller =
            switch wire.canceller {
            case .sender: .sender
            case .feature: .feature
            case .deadline: .deadline
            case .closed: .closed
            case .tool(let name): .tool(name)
            case .unknown, .other: .unknown
            }
        let stage: Stage =
            switch wire.stage {
            case .beforeStart: .beforeStart
            case .whileRunning: .whileRunning
            case .unknown: .unknown
            }
        self.init(by: canceller, stage: stage, reason: wire.reason)
    }
}

extension WireCancellation {
    /// Creates the form of a cancellation for a message.
    package init(_ cancellation: Cancellation) {
        let canceller: WireCanceller =
            switch cancellation.canceller {
            case .sender: .sender
            case .feature: .feature
            case .deadline: .deadline
            case .closed: .closed
            case .tool(let name): .tool(name)
            case .unknown: .unknown
            }
        let stage: Stage =
            switch cancellation.stage {
            case .beforeStart: .beforeStart
            case .whileRunning: .whileRunning
            case .unknown: .unknown
            }
        self.init(by: canceller, stage: stage, reason: cancellation.reason)
    }
}
