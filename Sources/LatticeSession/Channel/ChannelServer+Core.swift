import LatticeWire

/// What a channel does under its lock.
extension ChannelServer.Core {
    var session: Session? {
        switch link {
        case .opening(let session), .answering(let session, _), .open(let session): session
        case .away, .closed: nil
        }
    }

    func isOpening(on session: Session) -> Bool {
        if case .opening(let present) = link { present === session } else { false }
    }

    /// - Returns: Whether it was the present session.
    mutating func leave(_ session: Session) -> Bool {
        guard self.session === session else { return false }
        link = .away
        return true
    }

    /// - Parameter unreleased: How many outcomes wait to be released.
    /// - Returns: Whom to hand the event to, and whether it is cancelled already; nil: nobody.
    mutating func receive(
        _ event: UInt64,
        _ limits: ChannelLimits,
        unreleased: Int
    ) -> (host: any ChannelHost, isCancelled: Bool)? {
        // Before the answer to `open` there is nobody to hand it to; the other side does not send before either.
        guard let host else { return nil }
        let receipt = state.receive(event: event)
        guard receipt != .duplicate else {
            if running[event] == nil { state.repeatOutcome(of: event) }
            return nil
        }
        guard running.count + unreleased + state.due.count < limits.maximumRunning else {
            let reason = "the effects of \(running.count) events run, and no more may; wait for some of them to end"
            state.complete(event, .rejected(code: .overloaded, reason: reason))
            return nil
        }
        starting = event
        return (host, receipt == .applyCancelled)
    }

    /// - Returns: Whether the event ran: not one that was taken back, or that a close has ended.
    mutating func remove(_ event: UInt64) -> Bool {
        guard starting == event else { return running.removeValue(forKey: event) != nil }
        starting = nil
        return true
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
            _ = deliver(on: session, server.number, &frame)
            return session
        case .open(let session):
            return deliver(on: session, server.number, &frame) ? session : nil
        }
    }

    /// - Returns: Whether there was anything to tell.
    private mutating func deliver(on session: Session, _ number: UInt32, _ frame: inout StateFrame?) -> Bool {
        var hasTold = false
        session.change { output in
            let (publication, ends) = state.take(canSendState: !state.isDirty || output.hasRoom(for: number))
            hasTold = publication != nil || !ends.isEmpty
            switch publication {
            case .state(let revision, let applied):
                if frame == nil {
                    output.queue.addState(payload, revision: revision, applied: applied, on: number)
                } else {
                    frame?.add(to: &output.queue, revision: revision, applied: applied, on: number)
                }
            case .acknowledgement(let applied, let revision):
                output.queue.addControl(AcknowledgementMessage(applied: applied, revision: revision), on: number)
            case nil:
                break
            }
            for end in ends {
                output.queue.addCompletion(
                    end.first,
                    through: end.last,
                    revision: state.revision,
                    outcome: end.outcome,
                    on: number
                )
            }
        }
        return hasTold
    }
}
