import Lattice
import Testing

/// A view state that takes changes in is observed as any other.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct PatchedViewStateTests {
    @Test func exactlyTheObserversOfChangesAreNotified() throws {
        var state = BoardViewState(name: "a")
        state.rows = [RowState(id: 1), RowState(id: 2)]
        state.selected = RowState(id: 1)
        state.mode = .open(RowState(id: 3))
        let viewModel = makeModel(state)
        let readers: [(String, () -> Void)] = [
            ("name", { _ = viewModel.name }), ("title", { _ = viewModel.title }), ("rows", { _ = viewModel.rows }),
            ("1.text", { _ = viewModel.rows[id: 1]?.text }), ("2.text", { _ = viewModel.rows[id: 2]?.text }),
            ("selected", { _ = viewModel.selected }), ("selected.isDone", { _ = viewModel.selected?.isDone }),
            ("mode", { _ = viewModel.mode }), ("visits", { _ = viewModel.visits }),
            ("mode.text", { if case .open(let row) = viewModel.mode { _ = row.text } }),
            ("percent", { _ = viewModel.percent }), ("cache", { _ = viewModel.cache }),
        ]
        // Changes of another process's copy arrive here as a patch.
        var source = state
        func heard(_ change: (inout BoardViewState) -> Void) throws -> [String] {
            let old = source
            change(&source)
            var shown = viewModel.viewState
            let name = shown._$id
            if let patch = try source.patch(from: old) { try shown.apply(patch) }
            #expect(shown._$id == name || source.name != old.name)
            let heard = whoHears(readers) { viewModel.sendViewEvent(shown) }
            #expect(viewModel.viewState == source)
            return heard
        }
        #expect(try heard { _ in } == [])
        #expect(try heard { $0.title = "b" } == ["title"])
        #expect(try heard { $0.visit() } == ["visits"])
        #expect(try heard { $0.rows[id: 2]?.text = "x" } == ["2.text"])
        #expect(try heard { $0.rows[id: 2]?.isDone = true } == [])
        #expect(try heard { $0.selected?.isDone = true } == ["selected.isDone"])
        #expect(try heard { $0.mode = .open(RowState(id: 3, text: "y")) } == ["mode.text"])
        #expect(try heard { $0.mode = .closed } == ["mode", "mode.text"])
        #expect(try heard { $0.cache = 1 } == [])
        #expect(try heard { $0.rows.append(RowState(id: 4)) } == ["1.text", "2.text", "rows"])
        #expect(try heard { $0.selected = nil } == ["selected", "selected.isDone"])
    }

    @Test func applyingReadsNothing() throws {
        let viewModel = makeModel(RowState(id: 1))
        var next = viewModel.viewState
        next.text = "a"
        let patch = try #require(try next.patch(from: viewModel.viewState))
        var shown = viewModel.viewState
        let readers: [(String, () -> Void)] = [("nothing", { try? shown.apply(patch) })]
        let heard = whoHears(readers) { viewModel.sendViewEvent(next) }
        #expect(heard == [])
        #expect(shown == viewModel.viewState)
    }

    @Test func ownFunctionsAreKept() throws {
        let old = OwnPatchState(text: "a", ignored: 1)
        #expect(try OwnPatchState(text: "a", ignored: 2).patch(from: old) == nil)
        #expect(try OwnPatchState(text: "b", ignored: 2).patch(from: old) != nil)
    }
}
