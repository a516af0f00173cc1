import ArgumentParser
import LatticeControl
import LatticeToolSupport

struct AskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Asks a feature a question, and prints the answer as JSON.",
        discussion: """
            The question is JSON with the shape of the feature's question. The worker \
            answers from its state, and the question changes nothing.

            Examples:
              latticectl ask words '"swift"'
              latticectl ask unruly '{"sum":{}}'

            Exit codes: 0 answered, 1 no such coordinator, 2 the coordinator refused, 3 there \
            is no such feature, it answers no questions, or none in time, 4 the feature \
            threw an error, 64 wrong usage.
            """
    )

    @OptionGroup var selection: FeatureSelection

    @Argument(help: "The question as JSON.")
    var question: String

    @Option(help: "The seconds to wait for the answer, 0.001 to 86400.")
    var wait = 60.0

    @Flag(help: "Print one JSON object with the kind of the result, the value and the reason.")
    var json = false

    func validate() throws {
        guard 0.001...86_400 ~= wait else { throw ValidationError("--wait has to be 0.001 to 86400.") }
    }

    func run() async throws {
        try await selection.open(asksQuestions: true) { feature in
            let question = try DescriptionValue(json: question)
            let result = try await feature.ask(question, within: .seconds(wait))
            show(result)
            switch result.kind {
            case .answered: break
            case .threw: throw ExitCode(4)
            default: throw ExitCode(3)
            }
        }
    }

    private func show(_ result: QuestionResult) {
        if json {
            let fields: [String: DescriptionValue] = [
                "result": .text(result.kind.description), "value": result.value, "reason": .text(result.reason),
            ]
            return Console.put(DescriptionValue.map(fields).json)
        }
        switch result.kind {
        case .answered: Console.put(result.value.json)
        case .threw: Console.put("threw: \(result.value.json)")
        default: Console.put("unanswered: \(DescriptionValue.printable(result.reason))")
        }
    }
}
