import Lattice
import LatticeWire
import Testing

/// Tests the conformances that the macro writes.
@Suite(.timeLimit(.minutes(10))) struct PatchableMacroTests {
    private static let file = FileState(id: 7, size: 1)

    /// Returns the patch of a change as text.
    private static func text<Value: Patchable>(_ old: Value, _ change: (inout Value) -> Void) throws -> String? {
        var new = old
        change(&new)
        try checkLaw(old, new)
        return try new.patch(from: old).map { try notation($0.bytes) }
    }

    @Test func variablesAreSentByThemselves() throws {
        var archive = ArchiveState(name: "a")
        archive.files["x"] = Self.file
        archive.whole = WholeState()
        archive.note = "n"
        let table: [((inout ArchiveState) -> Void, String?)] = [
            ({ _ in }, nil),
            ({ $0.note = "m" }, #"[1, {"note": [0, "m"]}]"#),
            ({ $0.note = nil }, #"[1, {"note": null}]"#),
            ({ $0.raise() }, #"[1, {"level": [0, "high"]}]"#),
            ({ $0.files["x"]?.size = 2 }, #"[1, {"files": [1, {"x": [1, {"size": [0, 2]}]}]}]"#),
            ({ $0.files["x"]?.words["w"] = 3 }, #"[1, {"files": [1, {"x": [1, {"w": [1, {"w": [0, 3]}]}]}]}]"#),
            ({ $0.plain = [Self.file] }, #"[1, {"plain": [0, [{"w": {}, "size": 1, "number": 7}]]}]"#),
            ({ $0.progress = .failed(for: "x") }, #"[1, {"progress": [0, {"failed": {"for": "x"}}]}]"#),
            ({ $0.whole?.text = "t" }, #"[1, {"whole": [0, {"text": "t"}]}]"#),
            ({ $0.whole = nil }, #"[1, {"whole": null}]"#),
            ({ $0.percent = 500 }, #"[1, {"percent": [0, {"value": 100}]}]"#),
            ({ $0.limited = 50 }, #"[1, {"limited": [0, 9]}]"#),
            ({ $0.doubled = 4 }, #"[1, {"count": [0, 2]}]"#),
            // In the order of the wire.
            (
                {
                    $0.default = true
                    $0.count = 1
                    $0.note = nil
                }, #"[1, {"note": null, "count": [0, 1], "default": [0, true]}]"#
            ),
        ]
        for (change, sent) in table { #expect(try Self.text(archive, change) == sent) }
    }

    @Test func anotherConstantIsAnotherValue() throws {
        #expect(
            try Self.text(Self.file) { $0 = FileState(id: 8, size: 2) } == #"[0, {"w": {}, "size": 2, "number": 8}]"#
        )
        #expect(try Self.text(ConstantState(text: "a")) { $0 = ConstantState(text: "b") } == #"[0, {"text": "b"}]"#)
        #expect(try Self.text(EmptyPatchState()) { _ in } == nil)
    }

    @Test func unencodedPropertiesAreNotSent() throws {
        var other = Self.file
        other.secret = 5
        #expect(other != Self.file)
        #expect(try other.patch(from: Self.file) == nil)
        other.size = 9
        #expect(try other.patch(from: Self.file).map { try notation($0.bytes) } == #"[1, {"size": [0, 9]}]"#)
    }

    @Test func workerLocalPropertiesAreNotSent() throws {
        #expect(try Self.text(LocalState()) { $0.count = 1 } == #"[1, {"count": [0, 1]}]"#)
    }

    @Test func keysInAnExtension() throws {
        #expect(try Self.text(ElsewhereState()) { $0.second = 1 } == #"[1, {"s": [0, 1]}]"#)
    }

    @Test func enumsCaseByCase() throws {
        let running = ProgressState.running(Self.file, steps: [1, 2, 3], "l")
        var file = Self.file
        file.size = 5
        let table: [(ProgressState, ProgressState, String?)] = [
            (.idle, .idle, nil),
            (.idle, .failed(for: "a"), #"[0, {"failed": {"for": "a"}}]"#),
            (.failed(for: "a"), .idle, #"[0, {"idle": {}}]"#),
            (.failed(for: "a"), .failed(for: "b"), #"[1, {"failed": [1, {"for": [0, "b"]}]}]"#),
            (running, running, nil),
            (
                running, .running(file, steps: [1, 2, 4], nil),
                #"[1, {"running": [1, {"_0": [1, {"size": [0, 5]}], "_2": null, "#
                    + #""steps": [2, [[0, 0, 2], [2, 2, [0, 4]]]]}]}]"#
            ),
            (
                .paused(running), .paused(.running(file, steps: [1, 2, 3], "l")),
                #"[1, {"paused": [1, {"_0": [1, {"running": [1, {"_0": [1, {"size": [0, 5]}]}]}]}]}]"#
            ),
            (.paused(.idle), .paused(running), nil),
        ]
        for (old, new, sent) in table {
            let text = try Self.text(old) { $0 = new }
            if let sent { #expect(text == sent) }
        }
        #expect(try Self.text(ChoiceState.number(1)) { $0 = .number(2) } == #"[1, {"n": [1, {"_0": [0, 2]}]}]"#)
        #expect(
            try Self.text(ChoiceState.text("a", size: 1)) { $0 = .text("b", size: 1) }
                == #"[1, {"text": [1, {"value": [0, "b"]}]}]"#
        )
        #expect(try Self.text(Sign.plus) { $0 = .minus } == #"[0, {"minus": {}}]"#)
    }

    @Test func genericTypes() throws {
        let box = BoxState(value: Self.file, other: Self.file, list: [Self.file])
        #expect(try Self.text(box) { $0.value.size = 3 } == #"[1, {"value": [1, {"size": [0, 3]}]}]"#)
        #expect(try Self.text(box) { $0.other = nil } == #"[1, {"other": null}]"#)
        #expect(try Self.text(box) { $0.list[0].size = 3 } == #"[1, {"list": [2, [[2, 0, [1, {"size": [0, 3]}]]]]}]"#)
        #expect(try Self.text(BoxState(value: "a")) { $0.other = "b" } == #"[1, {"other": [0, "b"]}]"#)
        #expect(
            try Self.text(GenericCase.some(Self.file)) { $0 = .some(FileState(id: 7)) }
                == #"[1, {"some": [1, {"_0": [1, {"size": [0, 0]}]}]}]"#
        )
    }

    @Test("A payload is changed in place, also in an enum with a case without payload")
    func payloadInPlace() throws {
        func steps(_ state: ProgressState) -> UnsafePointer<Int>? {
            guard case .running(_, let steps, _) = state else { return nil }
            return steps.withUnsafeBufferPointer(\.baseAddress)
        }
        let old = ProgressState.running(Self.file, steps: Array(0..<100), nil)
        let patch = try #require(try ProgressState.running(Self.file, steps: Array(0..<99) + [5], nil).patch(from: old))
        var changed = ProgressState.running(Self.file, steps: (0..<100).map { $0 }, nil)
        let before = steps(changed)
        try patch.bytes.withUnsafeBytes { try changed.apply(patchBytes: $0) }
        #expect(steps(changed) == before)
    }

    @Test(
        "A patch that does not fit is an error",
        arguments: [
            ("idle", [0x82, 0x01, 0xa1, 0x61, 0x78, 0xf6], #"there is no field "x""#),
            (
                "idle", [0x82, 0x01, 0xa1, 0x66] + "failed".utf8 + [0x82, 0x01, 0xa0],
                #"it is not in the case "failed""#
            ),
            (
                "failed", [0x82, 0x01, 0xa1, 0x66] + "failed".utf8 + [0x82, 0x01, 0xa1, 0x60, 0xf6],
                #"there is no field """#
            ),
        ] as [(String, [UInt8], String)]
    )
    func mismatch(state: String, bytes: [UInt8], sentence: String) throws {
        var progress = state == "failed" ? ProgressState.failed(for: "a") : .idle
        let error = #expect(throws: DecodingError.self) { try progress.apply(Patch(bytes: bytes)) }
        guard case .dataCorrupted(let context)? = error else { return }
        #expect(context.debugDescription.hasSuffix(": \(sentence)"))
    }
}

/// The patch turns the one into the other, and does the same to its bytes.
func checkLaw<Value: Patchable>(_ old: Value, _ new: Value) throws {
    let patch = try new.patch(from: old)
    #expect((patch == nil) == (old == new))
    guard let patch else { return }
    var changed = old
    try changed.apply(patch)
    #expect(changed == new)
    #expect(try encoded(changed) == encoded(new))
    #expect(try StateChange(patch.bytes).apply(to: encoded(old), maximum: .max) == encoded(new))
}
