import LatticeCore
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct DeadlineTests {
    private struct Shown: Equatable, Sendable, DefaultValueProvider {
        static let defaultValue = Shown()
    }

    private typealias Model = ViewModel<Feature<Int, Int, Shown>>
    private let deadline = ContinuousClock.now + .seconds(3600)

    /// Adds what it gets. An effect notes its deadline; that of an action above 0 emits one that is less by one.
    private func makeModel(
        _ seen: Shared<[ContinuousClock.Instant?]>,
        during effect: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> Model {
        let interactor = Interact<Int, Int> { state, action in
            state += 1
            return .perform {
                seen.update { $0.append(Deadline.current) }
                await effect(action)
                return action > 0 ? action - 1 : nil
            }
        }
        return Model(
            initialDomainState: 0,
            feature: Feature(interactor: interactor, reducer: BuildViewState<Int, Shown> { _, _ in })
        )
    }

    @Test("effects see the deadline of their event, also those that follow; without one they see none")
    func isSeen() async {
        let seen = Shared<[ContinuousClock.Instant?]>([])
        let model = makeModel(seen)
        #expect(await model.sendViewEvent(1, deadline: deadline).finish() == .finished)
        #expect(await model.sendViewEvent(0).finish() == .finished)
        #expect(seen.value == [deadline, deadline, nil])
    }

    @Test("what an effect sends does not have its deadline, unless that is handed on", arguments: [true, false])
    func isHandedOn(isGiven: Bool) async {
        let (seen, seenThere) = (Shared<[ContinuousClock.Instant?]>([]), Shared<[ContinuousClock.Instant?]>([]))
        let there = makeModel(seenThere)
        let here = makeModel(seen) { _ in
            let given = isGiven ? Deadline.current : nil
            let task = await MainActor.run {
                given.map { there.sendViewEvent(0, deadline: $0) } ?? there.sendViewEvent(0)
            }
            await task.finish()
        }
        #expect(await here.sendViewEvent(0, deadline: deadline).finish() == .finished)
        #expect(seen.value == [deadline])
        #expect(seenThere.value == [isGiven ? deadline : nil])
    }
}
