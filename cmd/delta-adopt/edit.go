package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// editManagers changes every statement that makes a manager, and notes those that are made in a way that it does not know.
func (s *source) editManagers(inspector string) {
	_, ctrl := s.imported(ctrlPath)
	_, manager := s.imported(managerPath)
	known := map[*ast.CallExpr]bool{}
	makes := func(e ast.Expr) *ast.CallExpr {
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return nil
		}
		if f, ok := selected(call.Fun, ctrl); ok && f.Sel.Name == "NewManager" {
			return call
		}
		if f, ok := selected(call.Fun, manager); ok && f.Sel.Name == "New" {
			return call
		}
		return nil
	}
	for node := range ast.Preorder(s.file) {
		list := statements(node)
		for i, statement := range list {
			if call := makes(result(statement)); call != nil {
				known[call] = true
				if s.editManager(list[i:], call, inspector) {
					s.found.managers++
				}
			}
		}
	}
	for node := range ast.Preorder(s.file) {
		e, _ := node.(ast.Expr)
		if call := makes(e); call != nil && !known[call] {
			s.leave(call, "the manager is not made by an assignment followed by if err != nil; assign it so")
		}
	}
}

// statements returns the list of statements that a node consists of.
func statements(node ast.Node) []ast.Stmt {
	switch node := node.(type) {
	case *ast.BlockStmt:
		return node.List
	case *ast.CaseClause:
		return node.Body
	case *ast.CommClause:
		return node.Body
	}
	return nil
}

// result returns what a statement assigns to two variables, or returns.
func result(statement ast.Stmt) ast.Expr {
	switch statement := statement.(type) {
	case *ast.AssignStmt:
		if len(statement.Rhs) == 1 && len(statement.Lhs) == 2 {
			return statement.Rhs[0]
		}
	case *ast.ReturnStmt:
		if len(statement.Results) == 1 {
			return statement.Results[0]
		}
	}
	return nil
}

// editManager changes one, if its error is checked. The statements begin with the one that makes the manager.
func (s *source) editManager(from []ast.Stmt, call *ast.CallExpr, inspector string) bool {
	mgr, errName, body := "mgr", "err", "{\n\t\treturn nil, err\n\t}"
	assign, isAssigned := from[0].(*ast.AssignStmt)
	after := from[0].End()
	if isAssigned {
		failed := checked(from, assign.Lhs[1])
		if failed == nil || !isName(assign.Lhs[0]) {
			s.leave(assign, "the next statement does not check the error of the new manager; have it do so")
			return false
		}
		mgr, errName, body, after = s.of(assign.Lhs[0]), s.of(assign.Lhs[1]), s.of(failed.Body), failed.End()
	}
	configure := s.add(ours + "/pkg/manager")
	options := s.of(call.Args[1])
	if !isName(call.Args[1]) {
		options = s.free("options", "managerOptions", "optionsOfManager")
		s.insert(from[0].Pos(), options+" := "+s.of(call.Args[1])+"\n")
		s.replace(call.Args[1], options)
	}
	s.insert(from[0].Pos(), fmt.Sprintf("if %s := %s.Configure(&%s); %[1]s != nil %[4]s\n", errName, configure, options, body))
	if inspector == "none" {
		return true
	}
	if !isAssigned {
		mgr = s.free("mgr", "newManager", "managerOfOptions")
		s.edits = append(s.edits, edit{s.offset(from[0].Pos()), s.offset(call.Pos()), mgr + ", err := "})
		s.insert(after, "\nif err != nil "+body)
	}
	where := "{BindAddress: " + strconv.Quote(inspector) + "}"
	if inspector == "metrics" {
		where = "{}"
	}
	s.insert(after, fmt.Sprintf("\nif %s := %s.AddInspector(%s, %s.Options%s); %[1]s != nil %[6]s",
		errName, configure, mgr, s.add(ours+"/pkg/inspect"), where, body))
	if !isAssigned {
		s.insert(after, "\nreturn "+mgr+", nil")
	}
	return true
}

func isName(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

// checked returns the if statement after the first one that checks the error.
func checked(from []ast.Stmt, failed ast.Expr) *ast.IfStmt {
	if len(from) < 2 {
		return nil
	}
	check, ok := from[1].(*ast.IfStmt)
	if !ok || check.Init != nil || check.Else != nil || !isName(failed) || types.ExprString(check.Cond) != types.ExprString(failed)+" != nil" {
		return nil
	}
	return check
}

// free returns the first name that means nothing in the file, or the last.
func (s *source) free(names ...string) string {
	last := len(names) - 1
	for _, name := range names[:last] {
		if !s.uses(name) {
			return name
		}
	}
	return names[last]
}

// editBuilders has every controller made by our builder.
func (s *source) editBuilders() {
	spec, theirs := s.imported(builderPath)
	ctrlSpec, ctrl := s.imported(ctrlPath)
	if spec != nil { // everything that it is used for, ours has too, or the project does not build
		s.replace(spec.Path, strconv.Quote(ours+"/pkg/builder"))
	}
	name := theirs
	others := false
	var replaced []*ast.SelectorExpr
	for n := range ast.Preorder(s.file) {
		e, _ := n.(ast.Expr)
		f, ok := selected(e, ctrl)
		switch {
		case ok && f.Sel.Name == "NewControllerManagedBy":
			replaced = append(replaced, f)
		case ok:
			others = true
		}
	}
	if len(replaced) == 0 {
		return
	}
	if name == "" {
		name = s.add(ours + "/pkg/builder")
	}
	for _, f := range replaced {
		s.replace(f, name+".ControllerManagedBy")
	}
	if !others {
		s.drop(ctrlSpec)
	}
}

// drop takes out an import that nothing uses any more, and its line.
func (s *source) drop(spec *ast.ImportSpec) {
	from, to := s.offset(spec.Pos()), s.offset(spec.End())
	if s.alone(spec) {
		from -= len("import ")
	}
	from = strings.LastIndexByte(s.text[:from], '\n') + 1
	to += strings.IndexByte(s.text[to:], '\n')
	s.edits = append(s.edits, edit{from, to, ""})
}
