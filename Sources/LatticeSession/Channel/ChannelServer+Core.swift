import LatticeWire

/// What a channel does under its lock.
extension ChannelServer.Core {
    var session: Session? {
        switch link {
        case .opening(let session), .answering(let session, _), .open(let session): session
        case .away, .closed: nil
        }
    }

    mutating func receive(_ event: UInt64, _ limits: ChannelLimits) -> ChannelServerState.Receipt {
        // Before the answer to `open` there is nobody to hand it to; the other side does not send before either.
        guard host != nil else { return .duplicate }
        let receipt = state.receive(event: event)
        if receipt == .duplicate {
            if running[event] == nil { state.repeatOutcome(of: event) }
        } else if running.count + state.untold >= limits.maximumRunning {
            let reason = "the effects of \(running.count) events run, and no more may; wait for some of them to end"
            state.complete(event, .rejected(code: .overloaded, reason: reason))
            if state.isForwarding { state.release() }
        } else {
            starting = event
        }
        return receipt
    }

    /// Not for an event that was taken back, or that a close has ended.
    mutating func complete(_ event: UInt64, _ outcome: WireOutcome) {
        if starting == event {
            starting = nil
        } else if running.removeValue(forKey: event) == nil {
            return
        }
        state.complete(event, outcome)
    }

    /// Adds what is to be told to the session.
    ///
    /// - Returns: Where something has to be written.
    mutating func publish(as server: ChannelServer) -> Session? {
        var none: StateFrame?
        return publish(as: server, frame: &none)
    }

    mutating func publish(as server: ChannelServer, frame: inout StateFrame?) -> Session? {
        switch link {
        case .away, .opening, .closed:
            return nil
        case .answering(let session, let answer):
            guard answer.isStateKnown || session.canPublish(on: server.number) else { return nil }
            state.opened()
            let opened = Opened(
                revision: state.revision,
                applied: state.released,
                // Empty: the state is the one that came with `open`.
                state: answer.isStateKnown ? [] : payload,
                record: server.record
            )
            session.append { queue in
                queue.addData(opened, on: server.number)
                if let host = answer.host { queue.addControl(host, on: server.number) }
            }
            link = .open(session)
            _ = tell(session, server.number, &frame)
            return session
        case .open(let session):
            return tell(session, server.number, &frame) ? session : nil
        }
    }

    /// - Returns: Whether there was anything to tell.
    private mutating func tell(_ session: Session, _ number: UInt32, _ frame: inout StateFrame?) -> Bool {
        let (publication, ends) = state.take(canSendState: !state.isDirty || session.canPublish(on: number))
        guard publication != nil || !ends.isEmpty else { return false }
        session.append { queue in
            switch publication {
            case .state(let revision, let applied):
                if frame == nil {
                    queue.addState(payload, revision: revision, applied: applied, on: number)
                } else {
                    frame?.add(to: &queue, revision: revision, applied: applied, on: number)
                }
            case .acknowledgement(let applied, let revision):
                queue.addControl(AcknowledgementMessage(applied: applied, revision: revision), on: number)
            case nil:
                break
            }
            for end in ends {
                queue.addCompletion(
                    end.first,
                    through: end.last,
                    revision: state.revision,
                    outcome: end.outcome,
                    on: number
                )
            }
        }
        return true
    }
}
