import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct RejectionTests {
    private struct Versions: Codable, Equatable {
        var newest: Int
    }

    private typealias Parts = Emission<String>

    /// A runtime whose state is a log of actions. The action "go" emits `emission`, and every other one is recorded.
    private func makeRuntime(
        compares: Bool = true,
        _ emission: Parts
    ) -> FeatureRuntime<[String], String> {
        let interactor = Interact<[String], String> { state, action in
            if action == "go" { return emission }
            if action == "change and refuse" { state.append(action) }
            if action.hasSuffix("refuse") { return .reject("no") }
            state.append(action)
            return .none
        }
        let areStatesEqual: @Sendable ([String], [String]) -> Bool = { $0 == $1 }
        return FeatureRuntime(
            initialState: [],
            interactor: interactor,
            isolation: MainActor.shared,
            areStatesEqual: compares ? areStatesEqual : nil
        )
    }

    @Test(
        "A rejection ends the event before anything else of its emission is handled",
        arguments: [
            .reject("no"),
            .merge(.action("a"), .reject("no"), .perform { "b" }),
            .merge(.merge(.action("a")), .merge(.cancel(id: 1), .reject("no"))),
            .append(.reject("no"), .perform { "b" }),
            .reject("no").cancellable(id: 1, cancelInFlight: true),
            .reject("no").map { $0 },
            .merge(.action("refuse"), .perform { "b" }),
            .append(.action("refuse"), .action("b")),
            .reject("no").timeout(.seconds(1)).retry(.exponential(attempts: 2)).catch { _ in "b" },
        ] as [Emission<String>],
        [true, false]
    )
    func rejects(emission: Emission<String>, compares: Bool) async {
        let runtime = makeRuntime(compares: compares, emission)
        let task = runtime.send("go")
        guard case .rejected(let rejection) = task.outcome else {
            Issue.record("\(String(describing: task.outcome))")
            return
        }
        #expect(rejection.code == .declined)
        #expect(rejection.reason == "no")
        #expect(!task.hasEffects)
        #expect(await task.finish() == .rejected(rejection))
        #expect(runtime.state == [])
        #expect(runtime.runningEvents == 0)
        #expect(runtime.turn.groups.isEmpty)
        // The next event is not affected.
        #expect(await runtime.send("x").finish() == .finished)
        #expect(runtime.state == ["x"])
    }

    @Test("A running effect is not affected by the rejection of another event")
    func othersContinue() async {
        let gate = Gate()
        let runtime = makeRuntime(
            .perform {
                await gate.wait()
                return "done"
            }
            .cancellable(id: 1)
        )
        let running = runtime.send("go")
        #expect(runtime.send("refuse").outcome == .rejected(EventRejection(code: .declined, reason: "")))
        gate.open()
        #expect(await running.finish() == .finished)
        #expect(runtime.state == ["done"])
    }

    @Test("What an interactor changed before it rejected is undone if the feature compares states, and kept otherwise")
    func changesBefore() {
        for (compares, expected) in [(true, []), (false, ["change and refuse"])] {
            var turns: [Bool] = []
            let runtime = makeRuntime(compares: compares, .none)
            runtime.onTurn = { turns.append($0) }
            guard case .rejected = runtime.send("change and refuse").outcome else {
                Issue.record("The event was not rejected.")
                return
            }
            #expect(runtime.state == expected)
            // Without a comparison the host looks at the state, so that a change is never hidden.
            #expect(turns == [!compares])
        }
    }

    @Test(
        "An event whose effect has led to a rejection was applied, so it fails, and an issue says why",
        arguments: [
            .perform { "refuse" },
            .run { send in await send("refuse") },
            .append(.perform { nil }, .reject("no")),
        ] as [Emission<String>]
    )
    func tooLate(emission: Emission<String>) async {
        let runtime = makeRuntime(emission)
        var outcome: EventOutcome?
        await withKnownIssue {
            outcome = await runtime.send("go").finish()
        } matching: { issue in
            "\(issue)".contains("rejected an action of an effect (\"no\")")
        }
        guard case .failed(let failure) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(failure.type == "RejectedTooLate")
        #expect(runtime.state == [])
        #expect(runtime.runningEvents == 0)
    }

    @Test(
        "A child rejects for its parent, and another interactor of the same action starts nothing",
        arguments: [
            .count(.increment), .sheet(.increment), .rows(.element(id: 1, action: .increment)),
            .table(.element(id: "1", action: .increment)),
        ] as [RootAction]
    )
    func children(action: RootAction) {
        let refusing = Interact<Child, ChildAction> { child, _ in
            child.value += 1
            return .merge(.action(.echoed(1)), .reject("no"))
        }
        let before = Root(sheet: Child(), rows: [Child(id: 1)], table: ["1": Child()])
        let runtime = LatticeCoreTests.makeRuntime(
            before,
            of: Interact<Root, RootAction> { _, _ in .merge(.action(.note("counted")), .perform { nil }) }
                .when(state: \.count, action: \.count) { refusing }
                .ifLet(state: \.sheet, action: \.sheet) { refusing }
                .forEach(state: \.rows, action: \.rows) { refusing }
                .forEach(state: \.table, action: \.table) { refusing }
        )
        let task = runtime.send(action)
        #expect(task.outcome == .rejected(EventRejection(code: .declined, reason: "")))
        #expect(!task.hasEffects)
        #expect(runtime.state == before)
        #expect(runtime.turn.groups.isEmpty)
    }

    @Test func aValueTravelsWithTheRejection() throws {
        let runtime = makeRuntime(.reject("late", value: Versions(newest: 7)))
        guard case .rejected(let rejection) = runtime.send("go").outcome else {
            Issue.record("The event was not rejected.")
            return
        }
        #expect(try rejection.value(as: Versions.self) == Versions(newest: 7))
        #expect(throws: DecodingError.self) { try rejection.value(as: [Int].self) }
        #expect(try rejection.with(reason: "later").value(as: Versions.self) == Versions(newest: 7))
        #expect(try EventRejection.closed.value(as: Int.self) == nil)
    }

    @Test("A value that is too large or cannot be encoded is left out, and the event is rejected nevertheless")
    func valuesThatCannotTravel() throws {
        struct Unencodable: Encodable {
            func encode(to encoder: any Encoder) throws { throw Failure(description: "No.") }
        }
        let limit = RuntimeLimits.rejectionValueBytes
        // The head of such a string takes 3 bytes.
        let fits = Parts.reject("no", value: String(repeating: "x", count: limit - 3))
        #expect(fits.kind.rejection?.encodedValue?.count == limit)
        var emissions: [Parts] = []
        withKnownIssue { emissions.append(.reject("no", value: String(repeating: "x", count: limit - 2))) }
        withKnownIssue { emissions.append(.reject("no", value: Unencodable())) }
        for emission in emissions {
            let rejection = try #require(emission.kind.rejection)
            #expect(rejection.reason == "no")
            #expect(rejection.encodedValue == nil)
        }
    }
}
