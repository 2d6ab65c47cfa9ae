;;; redline-plan.el --- Plans of changes over several files  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands for plans, which are Markdown documents that the server writes.
;; In the document of a plan they are for that plan; elsewhere they ask for
;; one.

;;; Code:

(require 'eglot)
(require 'jsonrpc)
(require 'redline-preview)

(declare-function redline--run "redline")
(declare-function redline--uri "redline")
(declare-function redline--lines "redline")
(declare-function redline--choose "redline")
(declare-function redline--open "redline")

(defvar redline--plan-servers (make-hash-table :test #'equal)
  "By the id of a plan, the server that has shown its document.")

(defun redline--plan-of (path)
  "Return the id of the plan whose document is at PATH; nil if it is none."
  (when (and path
             (string-match "/plans/\\(?:[^/]*-\\)?\\([0-9a-f]+\\)\\.md\\'" path))
    (match-string 1 path)))

(cl-defmethod eglot-handle-request :before
  ((server redline-server) (_method (eql window/showDocument))
   &key uri external &allow-other-keys)
  "Record that SERVER shows the document of a plan, and read it again."
  (when-let* (((not (eq external t)))
              (path (redline--path uri))
              (plan-id (redline--plan-of path)))
    (puthash plan-id server redline--plan-servers)
    (when-let* ((buffer (find-buffer-visiting path)))
      (redline--read-again buffer))))

;; Eglot answers that it has applied an edit also if the user has declined it.
(cl-defmethod eglot-handle-request :around
  ((_server redline-server) (_method (eql workspace/applyEdit))
   &key edit &allow-other-keys)
  "Apply EDIT; the answer says whether a buffer has changed."
  (let* ((files (mapcar (lambda (change)
                          (redline--path
                           (plist-get (plist-get change :textDocument) :uri)))
                        (plist-get edit :documentChanges)))
         (before (mapcar #'redline--tick files))
         (answer (cl-call-next-method)))
    (if (and files (equal before (mapcar #'redline--tick files)))
        '(:applied :json-false :failureReason "The user has declined the edit.")
      answer)))

(defun redline--tick (file)
  "Return a number that changes with the text of FILE; nil if it is not open."
  (when-let* ((buffer (find-buffer-visiting file)))
    (buffer-chars-modified-tick buffer)))

(defun redline--read-again (buffer)
  "Read the file of BUFFER if the server has written it; keep what was typed."
  (with-current-buffer buffer
    (unless (or (buffer-modified-p) (verify-visited-file-modtime buffer))
      (revert-buffer t t t))))

(defun redline--plan-server (plan-id)
  "Return the server that has the plan PLAN-ID."
  (let ((shower (gethash plan-id redline--plan-servers)))
    (or (and shower (jsonrpc-running-p shower) shower)
        (eglot-current-server)
        (seq-find (lambda (server) (cl-typep server 'redline-server))
                  (apply #'append (hash-table-values eglot--servers-by-project)))
        (user-error "No server of Redline runs: M-x eglot in a file of the plan"))))

(defun redline--plan-name (plan)
  "Name a PLAN, as a line of a list."
  (let ((summary (plist-get plan :summary)))
    (format "%s (%s) %s"
            (if (string-blank-p summary) (plist-get plan :instruction) summary)
            (plist-get plan :state)
            (plist-get plan :planId))))

(defun redline--with-plan (run &optional states)
  "Call RUN with a plan's id and its server.
It is the plan of this document, or one in STATES that the user chooses;
without STATES, any."
  (if-let* ((plan-id (redline--plan-of buffer-file-name)))
      (funcall run plan-id (redline--plan-server plan-id))
    (let ((server (redline--plan-server nil)))
      (redline--run
       "plans" (make-hash-table)
       (lambda (listed)
         (let ((plans (seq-filter
                       (lambda (plan)
                         (or (null states) (member (plist-get plan :state) states)))
                       (reverse (plist-get listed :plans)))))
           (if (null plans)
               (message "Redline: there is no such plan")
             (funcall run
                      (plist-get (redline--choose "Plan: " plans #'redline--plan-name)
                                 :planId)
                      server))))
       server))))

(defun redline--plan-do (command states on-result)
  "Run the server's COMMAND on a plan in STATES; ON-RESULT gets the result.
What was typed in the plan's document is saved first."
  (redline--with-plan
   (lambda (plan-id server)
     (dolist (buffer (buffer-list))
       (when (and (equal (redline--plan-of (buffer-file-name buffer)) plan-id)
                  (buffer-modified-p buffer))
         (with-current-buffer buffer (save-buffer))))
     (redline--run command (list :planId plan-id)
                   (lambda (result)
                     (dolist (buffer (buffer-list))
                       (when (equal (redline--plan-of (buffer-file-name buffer))
                                    plan-id)
                         (redline--read-again buffer)))
                     (funcall on-result result))
                   server))
   states))

(defun redline--say-plan (result)
  "Say how a plan is, from the RESULT of a command on it."
  (message "Redline: the plan is %s.%s" (plist-get result :state)
           (let ((text (plist-get result :message)))
             (if (or (null text) (string-empty-p text)) "" (concat " " text)))))

;;;###autoload
(defun redline-plan (beg end instruction)
  "Plan a change over several files by INSTRUCTION.
Interactively, it is about the region, or without one this file: then
BEG and END are nil.  The plan's document opens when it is written."
  (interactive
   (append (if (use-region-p)
               (list (region-beginning) (region-end))
             (list nil nil))
           (list (read-string "Plan a change: " nil 'redline-history))))
  (when (string-blank-p instruction)
    (user-error "A plan needs an instruction"))
  (deactivate-mark)
  (redline--run "plan"
                (append (list :uri (redline--uri) :instruction instruction)
                        (when beg (list :range (redline--lines beg end))))
                (lambda (_)
                  (message "Redline: the change is being planned; its document opens then"))))

;;;###autoload
(defun redline-plans ()
  "Open the document of a plan; the user chooses one of several."
  (interactive)
  (redline--with-plan
   (lambda (plan-id server)
     (puthash plan-id server redline--plan-servers)
     (redline--run "openPlan" (list :planId plan-id) #'redline--open server))))

;;;###autoload
(defun redline-plan-run ()
  "Write the steps of a plan, as its document says now."
  (interactive)
  (redline--plan-do "runPlan" '("planned" "ready" "held") #'redline--say-plan))

;;;###autoload
(defun redline-plan-apply ()
  "Apply a plan that was run."
  (interactive)
  (redline--plan-do "applyPlan" '("ready" "held") #'redline--say-plan))

;;;###autoload
(defun redline-plan-again ()
  "Plan again, with the answers in the plan's document."
  (interactive)
  (redline--plan-do "planAgain" '("planned" "ready" "held") #'redline--say-plan))

;;;###autoload
(defun redline-plan-reject ()
  "Reject a plan that waits."
  (interactive)
  (redline--plan-do "rejectPlan" '("planned" "ready" "held") #'redline--say-plan))

;;;###autoload
(defun redline-plan-cancel ()
  "Cancel a plan that is being written or run."
  (interactive)
  (redline--plan-do "cancelPlan"
                    '("queued" "gathering" "planning" "running" "joining" "reviewing")
                    (lambda (result)
                      (message (if (eq (plist-get result :cancelled) t)
                                   "Redline: the plan is cancelled"
                                 "Redline: the plan had ended before")))))

;;;###autoload
(defun redline-plan-take-back ()
  "Restore the files of an applied plan."
  (interactive)
  (redline--plan-do "takeBack" '("applied")
                    (lambda (_) (message "Redline: the plan is taken back"))))

(provide 'redline-plan)
;;; redline-plan.el ends here
